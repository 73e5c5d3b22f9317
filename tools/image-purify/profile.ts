import { open, readFile, writeFile } from 'node:fs/promises'
import { headBytes, profileIn, withProfile } from '../../src/media/image/profile.ts'

/** Puts the colour profile of a source into what was made of it; where there is one that cannot stay, says so in a sentence. */
export async function keepProfile(path: string, source: string): Promise<string | undefined> {
  const head = await headOf(source)
  const profile = profileIn(head)
  if (!profile) return undefined
  if (!profile.isRgb) return 'its colour profile was left out: it is not of red, green and blue'
  const pieces = withProfile(await readFile(path), head)
  if (!pieces)
    return 'its colour profile was left out: it is too large, or of a format in which none is written'
  await writeFile(path, Buffer.concat(pieces))
  return undefined
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = new Uint8Array(Math.min(size, headBytes))
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    return head.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

import { open, readFile, writeFile } from 'node:fs/promises'
import { headBytes, profileIn, withProfile } from '../../src/media/image/profile.ts'

/** What became of a source's colour profile. */
export type Profile = 'none' | 'kept' | 'left'

/** Puts the colour profile of a source into what was made of it, if it still fits its red, green and blue. */
export async function keepProfile(path: string, source: string): Promise<Profile> {
  const head = await headOf(source)
  const profile = profileIn(head)
  if (!profile) return 'none'
  const pieces = profile.isRgb ? withProfile(await readFile(path), head) : undefined
  if (!pieces) return 'left'
  await writeFile(path, Buffer.concat(pieces))
  return 'kept'
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

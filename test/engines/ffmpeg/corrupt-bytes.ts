import { readFile, writeFile } from 'node:fs/promises'

/** Spoils a part of a media file, by shares of its bytes: what is there does not decode. */
export async function corruptBytes(path: string, from = 0.4, to = 0.6): Promise<string> {
  const bytes = await readFile(path)
  const [first, end] = [from, to].map((share) => Math.round(share * bytes.length))
  await writeFile(path, bytes.fill(0, first, end))
  return path
}

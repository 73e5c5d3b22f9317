import { readFile, writeFile } from 'node:fs/promises'

/** Overwrites a range of a file with zeros, so that it does not decode. `from` and `to` are shares of its size, 0 to 1. */
export async function corruptBytes(path: string, from = 0.4, to = 0.6): Promise<string> {
  const bytes = await readFile(path)
  const [first, end] = [from, to].map((share) => Math.round(share * bytes.length))
  await writeFile(path, bytes.fill(0, first, end))
  return path
}

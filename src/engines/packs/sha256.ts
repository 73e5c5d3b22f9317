import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** SHA-256 of a file in lower-case hex, read piece by piece. */
export async function fileSha256(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { signal, highWaterMark: 2 ** 20 })) {
    hash.update(piece as Buffer)
  }
  return hash.digest('hex')
}

/** Read files of this process's life, by what would change with them: a large model is not read again for each use. */
const knownSums = new Map<string, Promise<string>>()

/**
 * What identifies a file: its SHA-256. Of a folder the one of the list of its files, as the shell makes it there:
 * `find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum`.
 */
export async function modelSha256(path: string): Promise<string> {
  if (!(await stat(path)).isDirectory()) return await cachedSha256(path)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const names = entries
    // Folders of models are often links to what a cache holds.
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => Buffer.from(relative(path, join(entry.parentPath, entry.name)).split(sep).join('/')))
    .toSorted((one, other) => one.compare(other))
  const list = createHash('sha256')
  for (const name of names)
    list.update(`${await cachedSha256(join(path, name.toString()))}  ./${name.toString()}\n`)
  return list.digest('hex')
}

async function cachedSha256(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  const key = [path, size, mtimeMs, ino].join('\n')
  const reading = knownSums.get(key) ?? fileSha256(path)
  knownSums.set(key, reading)
  // What could not be read may be readable later.
  reading.catch(() => knownSums.delete(key))
  return await reading
}

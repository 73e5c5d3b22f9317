import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Returns the SHA-256 of a file in lower-case hex. Reads it in chunks. */
export async function fileSha256(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 2 ** 20 })) {
    hash.update(chunk as Buffer)
  }
  return hash.digest('hex')
}

/** Checksums by path, size, time and inode: a large model is read only once in a process. */
const knownSums = new Map<string, Promise<string>>()

/**
 * Returns the SHA-256 of a user's own model. For a folder it is that of the list of its files, as this command prints:
 * `find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum`.
 */
export async function modelSha256(path: string): Promise<string> {
  if (!(await stat(path)).isDirectory()) return await cachedSha256(path)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const names = entries
    // Files of models are often links into a cache.
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
  // A file that cannot be read now may be readable later.
  reading.catch(() => knownSums.delete(key))
  return await reading
}

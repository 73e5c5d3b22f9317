import { lstat } from 'node:fs/promises'
import type { FileRecord } from '../contract/file.ts'
import { errorCode } from '../platform/system-error.ts'
import { hashFile } from '../platform/hash.ts'

/** Largest number that is appended; more equal names in one folder indicate a fault. */
const maxNumberedNames = 1000

/** A file name and its numbered forms: `a.mp4`, `a-2.mp4`, `a-3.mp4` … */
export function* numberedNames(name: string): Generator<string> {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  yield name
  for (let number = 2; number <= maxNumberedNames; number += 1) yield `${stem}-${number}${extension}`
}

/** Compares the file at a path with a stored file; a symbolic link counts as different. */
export async function compareFile(
  path: string,
  file: Pick<FileRecord, 'size' | 'blake3_id'>,
  signal?: AbortSignal,
): Promise<'none' | 'same' | 'different'> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (!stats) return 'none'
  if (!stats.isFile() || stats.size !== file.size) return 'different'
  return (await hashFile(path, { signal })) === file.blake3_id ? 'same' : 'different'
}

/** Longest file name, bytes of UTF-8: below the 255 of all file systems, with room for a number. */
const maxNameBytes = 200

// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const unsafeCharacters = /[\u0000-\u001F\u007F<>:"/\\|?*]/g
const reservedOnWindows = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Converts a suggested name to a file name that is valid on all systems: no folders, no leading dot, limited length. */
export function safeFileName(suggested: string): string {
  const base = suggested.slice(suggested.lastIndexOf('/') + 1)
  const clean = base
    .replaceAll(unsafeCharacters, '_')
    .replace(/^[. ]+/, '')
    .replace(/[. ]+$/, '')
  const dot = clean.lastIndexOf('.')
  const extension = dot > 0 ? clean.slice(dot).slice(0, 16) : ''
  let stem = dot > 0 ? clean.slice(0, dot) : clean
  while (Buffer.byteLength(stem + extension) > maxNameBytes) stem = stem.slice(0, -1)
  const name = (stem.replace(/[\uD800-\uDBFF]$/, '') || 'file') + extension
  return reservedOnWindows.test(name) ? `_${name}` : name
}

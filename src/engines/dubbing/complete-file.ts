import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { renameDurably } from '../../platform/durable.ts'

/**
 * Writes a file under a temporary name beside it and renames it at the end, so that a file with the name is complete,
 * also after a power cut. Removes what a failure leaves; a killed attempt leaves it for the next one to overwrite.
 */
export async function writeComplete<T>(path: string, write: (unfinished: string) => Promise<T>): Promise<T> {
  // ffmpeg chooses the format by the extension.
  const unfinished = join(dirname(path), `unfinished-${basename(path)}`)
  try {
    const result = await write(unfinished)
    await renameDurably(unfinished, path)
    return result
  } finally {
    await rm(unfinished, { force: true })
  }
}

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isInputError } from '../../src/engines/ffmpeg/input-error.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { streamArgs } from './join.ts'
import type { KeptStream } from './kept.ts'
import type { Reading } from './reading.ts'

/** So many packets of a stream show what a container thinks of it: of some sound the form is in none but all of a few. */
const enough: Readonly<Record<KeptStream['type'], readonly string[]>> = {
  a: ['-frames:a', '8'],
  s: ['-frames:s', '1'],
  // Fonts alone make no file.
  t: ['-map', '0:V:0', '-c:v', 'copy', '-frames:v', '1'],
}

/**
 * Whether files of this extension take streams of a source: the first packets of each, wherever they come, are written
 * to a file of its own, and removed.
 */
export async function holds(
  extension: string,
  { source, streams }: { readonly source: string; readonly streams: readonly KeptStream[] },
  { scratch, signal, timeoutMs }: Reading,
): Promise<boolean> {
  if (streams.length === 0) return true
  const trials = streams.map((one) => ({ one, path: join(scratch, `trial-${one.index}${extension}`) }))
  const outputs = trials.flatMap(({ one, path }) => [...enough[one.type], ...streamArgs([one], 0), path])
  try {
    // Lines of text in no letters say nothing of the container.
    const args = ['-max_error_rate', '1', ...inputArgs(source), ...outputs]
    await runRaw({ args, signal, timeoutMs })
    return true
  } catch (error) {
    if (isInputError(error)) return false
    throw error
  } finally {
    await Promise.all(trials.map(({ path }) => rm(path, { force: true })))
  }
}

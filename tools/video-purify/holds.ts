import { rm } from 'node:fs/promises'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { isOfFile } from './cover.ts'
import { streamArgs } from './join.ts'
import type { KeptStream } from './kept.ts'
import type { Reading } from './reading.ts'

/** Enough of each stream that a container's refusal shows: s before the end, as a line may come late, and bytes. */
const trial = { seconds: 1, bytes: 2 ** 16 }

/** Whether a file of this name takes streams of a source: its last second is written to it, and removed. */
export async function holds(
  path: string,
  { source, streams }: { readonly source: string; readonly streams: readonly KeptStream[] },
  { signal, timeoutMs }: Pick<Reading, 'signal' | 'timeoutMs'>,
): Promise<boolean> {
  if (streams.length === 0) return true
  // Fonts alone make no file.
  const picture = streams.every(({ type }) => type === 't') ? ['-map', '0:V:0', '-c:v', 'copy'] : []
  const args = [
    ...inputArgs(source, ['-sseof', `-${trial.seconds}`]),
    ...[...picture, ...streamArgs(streams, 0), '-fs', String(trial.bytes), path],
  ]
  try {
    await runRaw({ args, signal, timeoutMs })
    return true
  } catch (error) {
    if (isOfFile(error)) return false
    throw error
  } finally {
    await rm(path, { force: true })
  }
}

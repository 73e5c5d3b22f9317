import { rm } from 'node:fs/promises'
import { MediaError } from '../../src/contract/errors.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { streamArgs } from './join.ts'
import type { KeptStream } from './kept.ts'

/** Enough of each stream that a container's refusal shows, s and bytes. */
const trial = { seconds: 1, bytes: 2 ** 16 }

/** Whether a file of this name takes streams of a source: a second of them is written to it, and removed. */
export async function holds(
  path: string,
  { source, streams }: { readonly source: string; readonly streams: readonly KeptStream[] },
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<boolean> {
  // Fonts alone make no file.
  if (streams.every(({ type }) => type === 't')) return true
  const some = ['-t', String(trial.seconds), '-fs', String(trial.bytes)]
  try {
    await runRaw({
      args: [...inputArgs(source), ...streamArgs(streams, 0), ...some, path],
      signal,
      timeoutMs,
    })
    return true
  } catch (error) {
    if (error instanceof MediaError && (error.code === 6500 || error.code === 6017)) return false
    throw error
  } finally {
    await rm(path, { force: true })
  }
}

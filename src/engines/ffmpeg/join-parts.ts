import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileUrl, inputArgs, runFfmpeg } from './run.ts'

/** Consecutive video segments of equal size, rate and encoder settings, in one folder of the service. */
interface Parts {
  readonly parts: readonly { readonly path: string; readonly frames: number }[]
  /** Frames per second. */
  readonly rate: number
}

interface JoinPartsOptions extends Parts {
  /** A file whose audio is copied to the result. Absent: the result has no sound stream. */
  readonly sound?: string | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Joins segments to one mp4 without re-encoding. Every frame keeps its place on the frame grid. */
export async function joinParts(
  path: string,
  { parts, rate, sound, signal, timeoutMs }: JoinPartsOptions,
): Promise<void> {
  const folder = dirname(parts[0]?.path ?? path)
  await runFfmpeg({
    args: [
      ...(await partsInput(join(folder, 'parts.txt'), { parts, rate })),
      ...(sound === undefined ? [] : inputArgs(sound)),
      ...['-map', '0:v:0', ...(sound === undefined ? [] : ['-map', '1:a:0']), '-c', 'copy'],
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', path],
    ],
    cwd: folder,
    signal,
    timeoutMs,
  })
}

/**
 * Returns an ffmpeg input that reads all segments in sequence. Writes the concat list to `list`.
 *
 * @param before further options of this input
 */
export async function partsInput(
  list: string,
  { parts, rate }: Parts,
  before: readonly string[] = [],
): Promise<string[]> {
  await writeFile(list, concatList(parts, rate))
  return [
    // Both the list and the files in it are created by the service. Files of users are never read this way.
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat,mov'],
    ...['-f', 'concat', '-auto_convert', '0', ...before, '-i', fileUrl(list)],
  ]
}

/**
 * Computes each duration as the difference of rounded end times, so that rounding errors do not accumulate.
 */
function concatList(parts: Parts['parts'], rate: number): string {
  let frames = 0
  const micros = () => Math.round((frames * 1e6) / rate)
  const lines = parts.flatMap(({ path, frames: more }) => {
    const before = micros()
    frames += more
    return [`file '${basename(path)}'`, `duration ${((micros() - before) / 1e6).toFixed(6)}`]
  })
  return ['ffconcat version 1.0', ...lines, ''].join('\n')
}

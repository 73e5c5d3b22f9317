import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileUrl, inputArgs, runFfmpeg } from './run.ts'

/** Videos of one size and rate that the same encoder settings made, in order, all in one folder of ours. */
interface Parts {
  readonly parts: readonly { readonly path: string; readonly frames: number }[]
  /** Frames a second. */
  readonly rate: number
}

interface JoinPartsOptions extends Parts {
  /** A file whose sound the result gets. */
  readonly sound: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Joins parts to one mp4 without encoding anything again; every frame keeps its place on the grid of the rate. */
export async function joinParts(
  path: string,
  { parts, rate, sound, signal, timeoutMs }: JoinPartsOptions,
): Promise<void> {
  const folder = dirname(parts[0]?.path ?? path)
  await runFfmpeg({
    args: [
      ...(await partsInput(join(folder, 'parts.txt'), { parts, rate })),
      ...inputArgs(sound),
      ...['-map', '0:v:0', '-map', '1:a:0', '-c', 'copy'],
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', path],
    ],
    cwd: folder,
    signal,
    timeoutMs,
  })
}

/**
 * An input of ffmpeg that is all parts one after another; a list of them is written beside them.
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
    // A list of ours that names files of ours; what users send never gets here.
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat,mov'],
    ...['-f', 'concat', '-auto_convert', '0', ...before, '-i', fileUrl(list)],
  ]
}

/** Lengths are differences of rounded ends, so that rounding to microseconds never adds up. */
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

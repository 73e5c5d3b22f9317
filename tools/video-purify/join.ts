import { partsInput } from '../../src/engines/ffmpeg/join-parts.ts'
import { inputArgs, runFfmpeg } from '../../src/engines/ffmpeg/run.ts'
import type { KeptContent, KeptStream } from './kept-streams.ts'

interface JoinJob {
  readonly source: string
  readonly kept: KeptContent
  readonly parts: readonly { readonly path: string; readonly frames: number }[]
  /** Frames a second. */
  readonly rate: number
  /** When the picture begins, s from the start of the file. */
  readonly start: number
  /** A file of ours in which the parts are listed. */
  readonly list: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Joins the parts of the picture with the other streams, chapters and tags of the source, coding nothing again. */
export async function joinWithSource(path: string, job: JoinJob): Promise<void> {
  const { source, kept, parts, rate, start, list, cwd, signal, timeoutMs } = job
  await runFfmpeg({
    args: [
      // What is decoded are lines of text at most: damaged ones, told before, are no reason to lose all work.
      ...['-max_error_rate', '1'],
      ...(await partsInput(list, { parts, rate }, ['-itsoffset', start.toFixed(3)])),
      ...inputArgs(source),
      ...['-map', '0:v:0', '-c:v', 'copy', ...streamArgs(kept.streams, 1), ...coverArgs(kept)],
      ...['-map_metadata', '1', '-map_metadata:s:v:0', '1:s:V:0', '-metadata:s:v:0', 'rotate='],
      ...['-map_chapters', '1'],
      ...(kept.extension === '.mp4' ? ['-movflags', '+faststart'] : []),
      path,
    ],
    cwd,
    signal,
    timeoutMs,
  })
}

/** Output options that take streams of an input with their tags; who maps those of one has to map those of all. */
export function streamArgs(streams: readonly KeptStream[], input: number): string[] {
  const each = ['a', 's', 't'].flatMap((type) =>
    streams
      .filter((one) => one.type === type)
      .flatMap(({ codec, index }, place) => [
        ...[`-c:${type}:${place}`, codec],
        ...[`-map_metadata:s:${type}:${place}`, `${input}:s:${index}`],
      ]),
  )
  // What ffmpeg 4.4 calls experimental are Opus and FLAC in an mp4.
  return [
    ...streams.flatMap(({ index }) => ['-map', `${input}:${index}`]),
    ...each,
    '-strict',
    'experimental',
  ]
}

/** In an mp4 covers are pictures with a mark, in a Matroska file attachments. */
function coverArgs({ extension, covers, streams }: KeptContent): string[] {
  const attached = streams.filter(({ type }) => type === 't').length
  return covers.flatMap(({ index, path, mime }, place) => {
    if (extension === '.mp4') return ['-map', `1:${index}`, `-disposition:v:${place + 1}`, 'attached_pic']
    const tags = [`mimetype=${mime}`, `filename=cover${path.slice(path.lastIndexOf('.'))}`]
    const stream = `-metadata:s:t:${attached + place}`
    return ['-attach', path, ...tags.flatMap((tag) => [stream, tag])]
  })
}

import { partsInput } from '../ffmpeg/join-parts.ts'
import { inputArgs, runFfmpeg } from '../ffmpeg/run.ts'
import type { KeptContent, KeptStream } from './kept-streams.ts'

interface JoinJob {
  readonly source: string
  readonly kept: KeptContent
  readonly parts: readonly { readonly path: string; readonly frames: number }[]
  /** Frames per second. */
  readonly rate: number
  /** Start of the picture, in seconds from the start of the file. */
  readonly start: number
  /** Path of the list of parts to write. */
  readonly list: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Joins the parts with the other streams, chapters and tags of the source, without encoding anything again. */
export async function joinWithSource(path: string, job: JoinJob): Promise<void> {
  const { source, kept, parts, rate, start, list, cwd, signal, timeoutMs } = job
  await runFfmpeg({
    args: [
      // Only text is decoded here. Damaged lines were reported before and must not discard the result.
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

/**
 * Returns output options that map streams of an input with their tags. ffmpeg copies tags only for all streams or for
 * none.
 */
export function streamArgs(streams: readonly KeptStream[], input: number): string[] {
  const each = ['a', 's', 't'].flatMap((type) =>
    streams
      .filter((one) => one.type === type)
      .flatMap(({ codec, index }, place) => [
        ...[`-c:${type}:${place}`, codec],
        ...[`-map_metadata:s:${type}:${place}`, `${input}:s:${index}`],
      ]),
  )
  // ffmpeg 4.4 treats Opus and FLAC in mp4 as experimental.
  return [
    ...streams.flatMap(({ index }) => ['-map', `${input}:${index}`]),
    ...each,
    '-strict',
    'experimental',
  ]
}

/** Covers are marked video streams in mp4 and attachments in Matroska. */
function coverArgs({ extension, covers, streams }: KeptContent): string[] {
  const attached = streams.filter(({ type }) => type === 't').length
  return covers.flatMap(({ index, path, mime }, place) => {
    if (extension === '.mp4') return ['-map', `1:${index}`, `-disposition:v:${place + 1}`, 'attached_pic']
    const tags = [`mimetype=${mime}`, `filename=cover${path.slice(path.lastIndexOf('.'))}`]
    const stream = `-metadata:s:t:${attached + place}`
    return ['-attach', path, ...tags.flatMap((tag) => [stream, tag])]
  })
}

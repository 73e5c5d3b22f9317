import * as z from 'zod'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import { partsInput } from '../../src/engines/ffmpeg/join-parts.ts'
import { inputArgs, runFfmpeg } from '../../src/engines/ffmpeg/run.ts'

const answer = z.object({
  streams: z
    .array(
      z.object({
        index: z.int(),
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        disposition: z.object({ attached_pic: z.int().optional() }).optional(),
      }),
    )
    .default([]),
})

type Stream = z.infer<typeof answer>['streams'][number]

/** Sound that players expect in an mp4; other sound keeps its form in a Matroska file. */
const soundOfMp4 = new Set(['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'])

/** Subtitles that a Matroska file takes as they are, or made into the form after them. */
const textOfMatroska: Readonly<Record<string, string>> = {
  ...{
    subrip: 'copy',
    ass: 'copy',
    ssa: 'copy',
    webvtt: 'copy',
    dvd_subtitle: 'copy',
    hdmv_pgs_subtitle: 'copy',
  },
  ...{ dvb_subtitle: 'copy', mov_text: 'srt', text: 'srt' },
}

/** What of a file goes with the new picture, and into what. */
export interface Kept {
  readonly extension: '.mp4' | '.mkv'
  /** For each stream that is kept: its index, and the encoder that makes it fit. */
  readonly streams: readonly {
    readonly index: number
    readonly type: 'a' | 's' | 't'
    readonly codec: string
  }[]
  /** Streams that neither container holds, in words. */
  readonly left: readonly string[]
}

/** Decides how the other streams of a file are kept: all sound and subtitles as they are, in the container that holds them. */
export async function keptOf(path: string, signal: AbortSignal): Promise<Kept> {
  const entries = 'stream=index,codec_type,codec_name:stream_disposition=attached_pic'
  const { text } = await askFfprobe(path, ['-show_entries', entries], { signal })
  return keep(parse(answer, text).streams)
}

/** As `keptOf`, of streams that are known. */
export function keep(streams: readonly Stream[]): Kept {
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  const texts = streams.filter(({ codec_type }) => codec_type === 'subtitle')
  const fitsMp4 =
    !streams.some(({ codec_type }) => codec_type === 'attachment') &&
    sounds.every(({ codec_name = '' }) => soundOfMp4.has(codec_name)) &&
    texts.every(({ codec_name }) => codec_name === 'mov_text')
  const extension = fitsMp4 ? '.mp4' : '.mkv'
  const text = ({ codec_name = '' }: Stream) => (fitsMp4 ? 'copy' : textOfMatroska[codec_name])
  const fonts = streams.filter(({ codec_type }) => codec_type === 'attachment')
  // Chapters lie in a stream of their own in an mp4, which ffmpeg writes anew.
  const others = streams.filter(
    ({ codec_type, codec_name }) => codec_type === 'data' && codec_name !== 'bin_data',
  )
  return {
    extension,
    streams: [
      ...sounds.map(({ index }) => ({ index, type: 'a' as const, codec: 'copy' })),
      ...texts.flatMap((one) => {
        const codec = text(one)
        return codec === undefined ? [] : [{ index: one.index, type: 's' as const, codec }]
      }),
      ...fonts.map(({ index }) => ({ index, type: 't' as const, codec: 'copy' })),
    ],
    left: [...texts.filter((one) => text(one) === undefined), ...others].map(
      ({ codec_type = 'data', codec_name = 'unknown' }) => `${codec_type} (${codec_name})`,
    ),
  }
}

interface Joined {
  readonly source: string
  readonly kept: Kept
  readonly parts: readonly { readonly path: string; readonly frames: number }[]
  /** Frames a second. */
  readonly rate: number
  /** Number of the first frame, counted from the start of the file. */
  readonly first: number
  /** A file of ours in which the parts are listed. */
  readonly list: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Joins the parts of the picture with the other streams, chapters and tags of the source, coding nothing again. */
export async function joinWithSource(path: string, job: Joined): Promise<void> {
  const { source, kept, parts, rate, first, list, cwd, signal, timeoutMs } = job
  // Who maps the tags of one stream has to map those of all.
  const each = ['a', 's', 't'].flatMap((type) =>
    kept.streams
      .filter((one) => one.type === type)
      .flatMap(({ codec, index }, place) => [
        ...[`-c:${type}:${place}`, codec],
        ...[`-map_metadata:s:${type}:${place}`, `1:s:${index}`],
      ]),
  )
  await runFfmpeg({
    args: [
      ...(await partsInput(list, { parts, rate }, ['-itsoffset', (first / rate).toFixed(6)])),
      ...inputArgs(source),
      ...['-map', '0:v:0', ...kept.streams.flatMap(({ index }) => ['-map', `1:${index}`])],
      ...['-c:v', 'copy', ...each],
      ...[
        '-map_metadata',
        '1',
        '-map_metadata:s:v:0',
        '1:s:V:0',
        '-metadata:s:v:0',
        'rotate=',
        '-map_chapters',
        '1',
      ],
      // What ffmpeg 4.4 calls so are Opus and FLAC in an mp4.
      ...['-strict', 'experimental'],
      ...(kept.extension === '.mp4' ? ['-movflags', '+faststart'] : []),
      path,
    ],
    cwd,
    signal,
    timeoutMs,
  })
}

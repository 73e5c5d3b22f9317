import * as z from 'zod'
import { queryFfprobe, parseFfprobe } from '../ffmpeg/ffprobe.ts'
import {
  containerAccepts,
  findLostLines,
  lostSideData,
  type ReadOptions,
  saveCover,
} from './stream-checks.ts'
import type { WholePicture } from './parts.ts'

const streamsAnswer = z.object({
  streams: z
    .array(
      z.object({
        index: z.int(),
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        codec_tag_string: z
          .string()
          .regex(/^[\w. -]{1,40}$/)
          .optional()
          .catch(undefined),
        disposition: z.object({ attached_pic: z.int().optional() }).optional(),
      }),
    )
    .default([]),
})

/** A stream as reported by ffprobe; without a name if ffmpeg does not know its codec. */
type ProbedStream = z.infer<typeof streamsAnswer>['streams'][number]

/** A stream to keep: its index, type, and encoder (or copy). */
export interface KeptStream {
  readonly index: number
  readonly type: 'a' | 's' | 't'
  readonly codec: string
}

/** A cover picture saved as a file. */
export interface CoverPicture {
  readonly index: number
  readonly path: string
  readonly mime: string
}

type Extension = '.mp4' | '.mkv'

/** What to keep of a file besides the picture, and the container for it. */
export interface KeptContent {
  readonly extension: Extension
  readonly streams: readonly KeptStream[]
  readonly covers: readonly CoverPicture[]
  /** Descriptions of streams that cannot be kept. */
  readonly droppedStreams: readonly string[]
  /** Sentences about what the new picture and the kept streams lose. */
  readonly lossNotes: readonly string[]
}

/** Audio codecs that players expect in mp4; others are copied to Matroska. */
const mp4Sound = new Set(['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'])

/** Subtitle codecs that Matroska accepts, and the encoder for each. */
const matroskaText: Readonly<Record<string, string>> = {
  ...{ subrip: 'copy', ass: 'copy', ssa: 'copy', webvtt: 'copy', dvd_subtitle: 'copy' },
  ...{ hdmv_pgs_subtitle: 'copy', dvb_subtitle: 'copy', mov_text: 'srt', text: 'srt' },
}

/**
 * Decides which other streams to keep and in which container: all audio and subtitles, copied if possible. Tests the
 * container with the first packets of each stream, before hours are spent on the picture.
 */
export async function selectKeptContent(
  { path, stream }: Pick<WholePicture, 'path' | 'stream'>,
  reading: ReadOptions,
): Promise<KeptContent> {
  const entries = 'stream=index,codec_type,codec_name,codec_tag_string:stream_disposition=attached_pic'
  const { text } = await queryFfprobe(path, ['-show_entries', entries], reading)
  const { streams } = parseFfprobe(streamsAnswer, text)
  const { extension, kept: fit } = await chooseContainer(path, streams, reading)
  const lines = await findLostLines(path, fit, reading)
  const kept = fit.filter(({ index }) => !lines.unreadable.includes(index))
  const covers: CoverPicture[] = []
  for (const { index, codec_name = '' } of streams.filter(isCover)) {
    const cover = await saveCover(path, { index, codec: codec_name }, reading)
    if (cover) covers.push(cover)
  }
  const stays = new Set([...kept, ...covers].map(({ index }) => index))
  const picture = streams.find((one) => one.codec_type === 'video' && !isCover(one))
  const dropped = streams.filter(({ index }) => index !== picture?.index && !stays.has(index))
  const lossNotes = [...lostSideData(stream), ...lines.sentences]
  return { extension, streams: kept, covers, droppedStreams: dropped.flatMap(describeStream), lossNotes }
}

async function chooseContainer(
  path: string,
  streams: readonly ProbedStream[],
  reading: ReadOptions,
): Promise<{ readonly extension: Extension; readonly kept: readonly KeptStream[] }> {
  const fits = (kept: readonly KeptStream[], extension: Extension) =>
    containerAccepts(extension, { source: path, streams: kept }, reading)
  const asMp4 = streamsForMp4(streams)
  if (asMp4 && (await fits(asMp4, '.mp4'))) return { extension: '.mp4', kept: asMp4 }
  const fitMatroska = (kept: readonly KeptStream[]) => fits(kept, '.mkv')
  return { extension: '.mkv', kept: await largestAccepted(fitMatroska, streamsForMatroska(streams)) }
}

/** Bisects: a rejected set fails at its first packets, and an accepted one is read once. */
async function largestAccepted(
  fit: (kept: readonly KeptStream[]) => Promise<boolean>,
  streams: readonly KeptStream[],
): Promise<readonly KeptStream[]> {
  if (await fit(streams)) return streams
  if (streams.length === 1) return []
  const middle = Math.ceil(streams.length / 2)
  const halves = [streams.slice(0, middle), streams.slice(middle)]
  const kept: KeptStream[] = []
  for (const half of halves) kept.push(...(await largestAccepted(fit, half)))
  return kept
}

/** Returns all streams to keep if mp4 probably accepts them, else undefined. */
function streamsForMp4(streams: readonly ProbedStream[]): KeptStream[] | undefined {
  const isLikely = streams.every(
    ({ codec_type, codec_name }) =>
      codec_name === undefined ||
      (codec_type === 'audio' && mp4Sound.has(codec_name)) ||
      (codec_type === 'subtitle' && codec_name === 'mov_text') ||
      codec_type === 'video' ||
      codec_type === 'data',
  )
  return isLikely ? streams.flatMap((one) => keptStream(one, 'copy')) : undefined
}

/** Returns the streams that Matroska probably accepts. */
function streamsForMatroska(streams: readonly ProbedStream[]): KeptStream[] {
  return streams.flatMap((one) => keptStream(one, matroskaText[one.codec_name ?? '']))
}

/** Copies audio and attachments of known codecs, and subtitles with the given encoder. */
function keptStream({ index, codec_type, codec_name }: ProbedStream, text: string | undefined): KeptStream[] {
  if (codec_type === 'attachment') return [{ index, type: 't', codec: 'copy' }]
  if (codec_name === undefined) return []
  if (codec_type === 'audio') return [{ index, type: 'a', codec: 'copy' }]
  return codec_type === 'subtitle' && text !== undefined ? [{ index, type: 's', codec: text }] : []
}

function isCover({ codec_type, disposition }: ProbedStream): boolean {
  return codec_type === 'video' && disposition?.attached_pic === 1
}

/** Chapters of mp4 are stored in a text stream, which ffmpeg writes again. */
function describeStream(one: ProbedStream): string[] {
  const { codec_type = 'data', codec_name, codec_tag_string = 'unknown' } = one
  if (codec_name !== 'bin_data')
    return [`${isCover(one) ? 'cover' : codec_type} (${codec_name ?? codec_tag_string})`]
  return codec_tag_string === 'text' ? [] : [`${codec_type} (${codec_tag_string})`]
}

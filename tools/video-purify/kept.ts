import * as z from 'zod'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import { saveCover } from './cover.ts'
import { holds } from './holds.ts'
import { lostLines } from './lost-lines.ts'
import { lostOf } from './lost.ts'
import type { Reading } from './reading.ts'
import type { WholePicture } from './whole-picture.ts'

const answer = z.object({
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

/** A stream as ffprobe tells of it; one of a codec that ffmpeg does not know has no name. */
type Stream = z.infer<typeof answer>['streams'][number]

/** A stream that goes with the new picture: its index, and the encoder that makes it fit. */
export interface KeptStream {
  readonly index: number
  readonly type: 'a' | 's' | 't'
  readonly codec: string
}

/** A cover picture as a file of its own. */
export interface Cover {
  readonly index: number
  readonly path: string
  readonly mime: string
}

type Extension = '.mp4' | '.mkv'

/** What of a file goes with the new picture, and into what. */
export interface Kept {
  readonly extension: Extension
  readonly streams: readonly KeptStream[]
  readonly covers: readonly Cover[]
  /** Streams that are not kept, in words. */
  readonly left: readonly string[]
  /** What the new picture and the streams that are kept lack, in sentences. */
  readonly lost: readonly string[]
}

/** Sound that players expect in an mp4; other sound keeps its form in a Matroska file. */
const soundOfMp4 = new Set(['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'])

/** Subtitles that a Matroska file takes as they are, or made into the form after them. */
const textOfMatroska: Readonly<Record<string, string>> = {
  ...{ subrip: 'copy', ass: 'copy', ssa: 'copy', webvtt: 'copy', dvd_subtitle: 'copy' },
  ...{ hdmv_pgs_subtitle: 'copy', dvb_subtitle: 'copy', mov_text: 'srt', text: 'srt' },
}

/**
 * Decides how the other streams of a file are kept: all sound and subtitles as they are, in the container that holds
 * them, which their first packets show before hours are spent on the picture.
 */
export async function keptOf(
  { path, stream }: Pick<WholePicture, 'path' | 'stream'>,
  reading: Reading,
): Promise<Kept> {
  const entries = 'stream=index,codec_type,codec_name,codec_tag_string:stream_disposition=attached_pic'
  const { text } = await askFfprobe(path, ['-show_entries', entries], reading)
  const { streams } = parse(answer, text)
  const { extension, kept: fit } = await fitting(path, streams, reading)
  const lines = await lostLines(path, fit, reading)
  const kept = fit.filter(({ index }) => !lines.unreadable.includes(index))
  const covers: Cover[] = []
  for (const { index, codec_name = '' } of streams.filter(isCover)) {
    const cover = await saveCover(path, { index, codec: codec_name }, reading)
    if (cover) covers.push(cover)
  }
  const stays = new Set([...kept, ...covers].map(({ index }) => index))
  const picture = streams.find((one) => one.codec_type === 'video' && !isCover(one))
  const left = streams.filter(({ index }) => index !== picture?.index && !stays.has(index))
  const lost = [...lostOf(stream), ...lines.sentences]
  return { extension, streams: kept, covers, left: left.flatMap(describe), lost }
}

async function fitting(
  path: string,
  streams: readonly Stream[],
  reading: Reading,
): Promise<{ readonly extension: Extension; readonly kept: readonly KeptStream[] }> {
  const fits = (kept: readonly KeptStream[], extension: Extension) =>
    holds(extension, { source: path, streams: kept }, reading)
  const asMp4 = ofMp4(streams)
  if (asMp4 && (await fits(asMp4, '.mp4'))) return { extension: '.mp4', kept: asMp4 }
  const fitMatroska = (kept: readonly KeptStream[]) => fits(kept, '.mkv')
  return { extension: '.mkv', kept: await thoseThat(fitMatroska, ofMatroska(streams)) }
}

/** Tried half by half: what does not fit is refused at its first packets, and what fits is read once. */
async function thoseThat(
  fit: (kept: readonly KeptStream[]) => Promise<boolean>,
  streams: readonly KeptStream[],
): Promise<readonly KeptStream[]> {
  if (await fit(streams)) return streams
  if (streams.length === 1) return []
  const middle = Math.ceil(streams.length / 2)
  const halves = [streams.slice(0, middle), streams.slice(middle)]
  const kept: KeptStream[] = []
  for (const half of halves) kept.push(...(await thoseThat(fit, half)))
  return kept
}

/** All that is to be kept, where an mp4 is likely to hold it. */
function ofMp4(streams: readonly Stream[]): KeptStream[] | undefined {
  const isLikely = streams.every(
    ({ codec_type, codec_name }) =>
      codec_name === undefined ||
      (codec_type === 'audio' && soundOfMp4.has(codec_name)) ||
      (codec_type === 'subtitle' && codec_name === 'mov_text') ||
      codec_type === 'video' ||
      codec_type === 'data',
  )
  return isLikely ? streams.flatMap((one) => keptAs(one, 'copy')) : undefined
}

/** What a Matroska file is likely to hold. */
function ofMatroska(streams: readonly Stream[]): KeptStream[] {
  return streams.flatMap((one) => keptAs(one, textOfMatroska[one.codec_name ?? '']))
}

/** Sound and fonts as they are, if it is known what they are. */
function keptAs({ index, codec_type, codec_name }: Stream, text: string | undefined): KeptStream[] {
  if (codec_type === 'attachment') return [{ index, type: 't', codec: 'copy' }]
  if (codec_name === undefined) return []
  if (codec_type === 'audio') return [{ index, type: 'a', codec: 'copy' }]
  return codec_type === 'subtitle' && text !== undefined ? [{ index, type: 's', codec: text }] : []
}

function isCover({ codec_type, disposition }: Stream): boolean {
  return codec_type === 'video' && disposition?.attached_pic === 1
}

/** Chapters lie in a stream of text in an mp4, which ffmpeg writes anew. */
function describe(one: Stream): string[] {
  const { codec_type = 'data', codec_name, codec_tag_string = 'unknown' } = one
  if (codec_name !== 'bin_data')
    return [`${isCover(one) ? 'cover' : codec_type} (${codec_name ?? codec_tag_string})`]
  return codec_tag_string === 'text' ? [] : [`${codec_type} (${codec_tag_string})`]
}

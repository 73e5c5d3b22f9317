import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { checkDecodable } from '../ffmpeg/decodable.ts'
import { inputArgs, isInputError, runRaw } from '../ffmpeg/run.ts'
import type { PictureStream } from '../ffmpeg/picture-stream.ts'
import { streamArgs } from './join.ts'
import type { CoverPicture, KeptStream } from './kept-streams.ts'

/** Options for reading a video before its picture is treated. */
export interface ReadOptions {
  readonly scratch: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Number of packets that show whether a container accepts a stream; some audio codecs need several. */
const trialPackets: Readonly<Record<KeptStream['type'], readonly string[]>> = {
  a: ['-frames:a', '8'],
  s: ['-frames:s', '1'],
  // Attachments alone make no file.
  t: ['-map', '0:V:0', '-c:v', 'copy', '-frames:v', '1'],
}

/** Whether a container accepts streams of a source. Writes the first packets of each stream to a temporary file. */
export async function containerAccepts(
  extension: string,
  { source, streams }: { readonly source: string; readonly streams: readonly KeptStream[] },
  { scratch, signal, timeoutMs }: ReadOptions,
): Promise<boolean> {
  if (streams.length === 0) return true
  const trials = streams.map((one) => ({ one, path: join(scratch, `trial-${one.index}${extension}`) }))
  const outputs = trials.flatMap(({ one, path }) => [
    ...trialPackets[one.type],
    ...streamArgs([one], 0),
    path,
  ])
  try {
    // Undecodable text does not mean that the container rejects the stream.
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

/** Size of a text packet that consists of its length only; mp4 has such packets between lines. */
const emptyTextBytes = 2

/** Subtitle lines lost in conversion. */
interface LostLines {
  /** Indexes of streams without any readable line. */
  readonly unreadable: readonly number[]
  /** Sentences about lost lines of the other streams. */
  readonly sentences: readonly string[]
}

/** Converts all subtitles that change their codec, to find lines that are not valid text. */
export async function findLostLines(
  source: string,
  kept: readonly KeptStream[],
  { signal, timeoutMs }: Pick<ReadOptions, 'signal' | 'timeoutMs'>,
): Promise<LostLines> {
  const converted = kept.filter(({ type, codec }) => type === 's' && codec !== 'copy')
  if (converted.length === 0) return { unreadable: [], sentences: [] }
  const lines = converted.map(({ index }) => ({ index, total: 0, read: 0, empty: 0 }))
  const forms = converted.flatMap(({ index, codec }) => [
    { index, codec: 'copy' },
    { index, codec },
  ])
  let rest = ''
  await runRaw({
    args: [
      ...['-max_error_rate', '1', ...inputArgs(source)],
      ...forms.flatMap(({ index, codec }, place) => ['-map', `0:${index}`, `-c:s:${place}`, codec]),
      // Prints one line per packet: stream, times, size.
      ...['-f', 'framecrc', 'pipe:1'],
    ],
    signal,
    timeoutMs,
    onOutput(chunk) {
      const packets = (rest + chunk.toString('latin1')).split('\n')
      rest = packets.pop() ?? ''
      for (const packet of packets) {
        const [place = NaN, , , , size = 0] = packet.split(',').map(Number)
        const line = lines[Math.floor(place / 2)]
        if (!line) continue
        if (place % 2 === 0) line.total += size > emptyTextBytes ? 1 : 0
        // A styled line without text yields an empty line; an undecodable one yields none.
        else line[size > 0 ? 'read' : 'empty'] += 1
      }
    },
  })
  const poor = lines
    .map(({ index, total, read, empty }) => ({ index, read, all: total - empty }))
    .filter(({ read, all }) => read < all)
  return {
    unreadable: poor.filter(({ read }) => read === 0).map(({ index }) => index),
    sentences: poor
      .filter(({ read }) => read > 0)
      .map(({ index, read, all }) => {
        const lost = `${all - read} of ${all}`
        return `unreadable lines were omitted from the subtitles in stream ${index}: ${lost}`
      }),
  }
}

/** Side data of a picture that encoding discards, by ffprobe's names. */
const droppedSideData: Readonly<Record<string, string>> = {
  'ATSC A53 Part 4 Closed Captions': 'the closed captions in the picture (CEA-608/708) were lost',
  'Spherical Mapping': 'the 360° metadata was lost: players show a flat picture',
  'Stereo 3D': 'the stereoscopic metadata was lost: players show the picture as coded',
}

/** Returns sentences about the side data that a new picture loses. */
export function lostSideData({
  sideDataTypes: sides,
}: Pick<PictureStream, 'sideDataTypes'>): readonly string[] {
  return Object.entries(droppedSideData).flatMap(([type, sentence]) =>
    sides.includes(type) ? [sentence] : [],
  )
}

/** Codecs of covers that both containers accept, by ffmpeg's names. */
const coverFormats: Readonly<Record<string, { readonly extension: string; readonly mime: string }>> = {
  mjpeg: { extension: 'jpg', mime: 'image/jpeg' },
  png: { extension: 'png', mime: 'image/png' },
  bmp: { extension: 'bmp', mime: 'image/bmp' },
}

/**
 * Saves a cover as a file, as Matroska needs it. Returns undefined if no container accepts it, or if it is empty or
 * does not decode: it would make the final join fail.
 */
export async function saveCover(
  source: string,
  { index, codec }: { readonly index: number; readonly codec: string },
  { scratch, signal, timeoutMs }: ReadOptions,
): Promise<CoverPicture | undefined> {
  const form = coverFormats[codec]
  if (!form) return undefined
  const path = join(scratch, `cover-${index}.${form.extension}`)
  const copied = ['-map', `0:${index}`, '-c', 'copy', '-frames:v', '1', '-update', '1', '-f', 'image2', path]
  try {
    await runRaw({ args: [...inputArgs(source), ...copied], signal, timeoutMs })
    await checkDecodable(path, { signal })
    return { index, path, mime: form.mime }
  } catch (error) {
    // The video is worth more than its cover: omit one that takes too long, too.
    if (error instanceof MediaError) return undefined
    throw error
  }
}

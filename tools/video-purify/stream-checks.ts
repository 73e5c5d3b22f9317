import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import { checkDecodable } from '../../src/engines/ffmpeg/decodable.ts'
import { isInputError } from '../../src/engines/ffmpeg/input-error.ts'
import type { PictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { streamArgs } from './join.ts'
import type { CoverPicture, KeptStream } from './kept-streams.ts'

/** How a video is read before any of its picture is treated: where files may be made, and for how long. */
export interface ReadOptions {
  readonly scratch: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** So many packets of a stream show what a container thinks of it: of some sound the form is in none but all of a few. */
const trialPackets: Readonly<Record<KeptStream['type'], readonly string[]>> = {
  a: ['-frames:a', '8'],
  s: ['-frames:s', '1'],
  // Fonts alone make no file.
  t: ['-map', '0:V:0', '-c:v', 'copy', '-frames:v', '1'],
}

/**
 * Whether files of this extension take streams of a source: the first packets of each, wherever they come, are written
 * to a file of its own, and removed.
 */
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
    // Lines of text in no letters say nothing of the container.
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

/** Bytes of a packet that is the length of its text alone: such lie between the lines of an mp4. */
const emptyTextBytes = 2

/** What becomes of subtitles that are made into another form. */
interface LostLines {
  /** Streams of which no line is in letters, by their indexes. */
  readonly unreadable: readonly number[]
  /** Lines that are lost of others, in sentences. */
  readonly sentences: readonly string[]
}

/** Reads all lines of subtitles that are made into another form: those that are in no letters are lost. */
export async function findLostLines(
  source: string,
  kept: readonly KeptStream[],
  { signal, timeoutMs }: Pick<ReadOptions, 'signal' | 'timeoutMs'>,
): Promise<LostLines> {
  const made = kept.filter(({ type, codec }) => type === 's' && codec !== 'copy')
  if (made.length === 0) return { unreadable: [], sentences: [] }
  const lines = made.map(({ index }) => ({ index, given: 0, read: 0, empty: 0 }))
  const forms = made.flatMap(({ index, codec }) => [
    { index, codec: 'copy' },
    { index, codec },
  ])
  let rest = ''
  await runRaw({
    args: [
      ...['-max_error_rate', '1', ...inputArgs(source)],
      ...forms.flatMap(({ index, codec }, place) => ['-map', `0:${index}`, `-c:s:${place}`, codec]),
      // A line of text for each packet: its stream, times, size.
      ...['-f', 'framecrc', 'pipe:1'],
    ],
    signal,
    timeoutMs,
    onOutput(chunk) {
      const packets = (rest + chunk.toString('latin1')).split('\n')
      rest = packets.pop() ?? ''
      for (const packet of packets) {
        const [place = NaN, , , , size = 0] = packet.split(',').map(Number)
        const mine = lines[Math.floor(place / 2)]
        if (!mine) continue
        if (place % 2 === 0) mine.given += size > emptyTextBytes ? 1 : 0
        // Of no text, but with a style, an empty line is made; of one in no letters, none.
        else mine[size > 0 ? 'read' : 'empty'] += 1
      }
    },
  })
  const poor = lines
    .map(({ index, given, read, empty }) => ({ index, read, all: given - empty }))
    .filter(({ read, all }) => read < all)
  return {
    unreadable: poor.filter(({ read }) => read === 0).map(({ index }) => index),
    sentences: poor
      .filter(({ read }) => read > 0)
      .map(({ index, read, all }) => {
        const lost = `${all - read} of ${all}`
        return `lines that could not be read were left out of the subtitles in stream ${index}: ${lost}`
      }),
  }
}

/** What goes with a picture and ends when it is coded anew, by ffprobe's names for it. */
const droppedSideData: Readonly<Record<string, string>> = {
  'ATSC A53 Part 4 Closed Captions': 'the captions inside the picture (CEA-608/708) were left out',
  'Spherical Mapping': 'the mark of a 360° picture was left out: players show it flat',
  'Stereo 3D': 'the mark of a stereoscopic picture was left out: players show it as it is coded',
}

/** What a new picture of a video lacks, in sentences. */
export function lostSideData({ sides }: Pick<PictureStream, 'sides'>): readonly string[] {
  return Object.entries(droppedSideData).flatMap(([type, sentence]) =>
    sides.includes(type) ? [sentence] : [],
  )
}

/** Pictures that may be a cover in both containers, by ffmpeg's names. */
const coverFormats: Readonly<Record<string, { readonly extension: string; readonly mime: string }>> = {
  mjpeg: { extension: 'jpg', mime: 'image/jpeg' },
  png: { extension: 'png', mime: 'image/png' },
  bmp: { extension: 'bmp', mime: 'image/bmp' },
}

/**
 * Copies a cover picture into a file, as a Matroska file takes them; undefined for one that no container holds, that is
 * empty or that does not decode: it would spoil the whole result in the end.
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
    // The whole is worth more than its cover: one that takes too long is left out as well.
    if (error instanceof MediaError) return undefined
    throw error
  }
}

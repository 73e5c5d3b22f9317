import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import type { OutputOf } from '../../src/contract/operation.ts'
import { videoPurify } from '../../tools/video-purify/contract.ts'
import { plan } from '../../tools/video-purify/plan.ts'
import { run } from '../../tools/video-purify/run.ts'
import { generateMedia, h264 } from '../engines/ffmpeg/generate-media.ts'
import { fileIdOf, runInWorker, stageFiles, type OperationRun } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

/** A box for the whole duration. */
export interface TimedBox {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly start?: number
  readonly end?: number
}

/** Plans and runs a request for a file as the service does, writing to a folder. */
export async function purify(
  path: string,
  folder: string,
  request: Readonly<Record<string, unknown>>,
): Promise<OperationRun<typeof videoPurify> & { readonly output: OutputOf<typeof videoPurify> }> {
  const list = request['regions_file_id']
  const files = await stageFiles([path, ...(typeof list === 'string' ? [list] : [])])
  const named = typeof list === 'string' ? { regions_file_id: fileIdOf(list) } : {}
  const body = { file_id: fileIdOf(path), ...request, ...named }
  return await runInWorker({ operation: videoPurify, plan, run }, body, { files, folder })
}

/** Blurs boxes. */
export function blurBoxes(path: string, folder: string, ...regions: readonly TimedBox[]) {
  return purify(path, folder, { purify_scope: 'region', regions })
}

/**
 * Creates a Matroska file of three frames, the last of which lasts one second. Returns its bytes, with a header that
 * states a duration of one minute.
 */
export async function longFilm(path: string, seconds: number): Promise<Uint8Array<ArrayBuffer>> {
  const black = `color=black:size=128x128:rate=1:duration=3,setpts=N*${(seconds - 1) / 2}/TB`
  await generateMedia(path, ['-f', 'lavfi', '-i', black, '-fps_mode', 'vfr', ...h264])
  return await withOneMinuteDuration(path)
}

/** Returns the bytes of a Matroska file, with a header that states a duration of one minute. */
async function withOneMinuteDuration(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const text = (await readFile(path)).toString('latin1')
  // The duration of the track (text), and the Duration element: its id, a size of eight bytes, and milliseconds.
  const bytes = Buffer.from(text.replaceAll(/\d\d:\d\d:\d\d\.0{9}/g, '00:01:00.000000000'), 'latin1')
  const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3
  if (bytes.readDoubleBE(at) < 120_000) throw new Error(`${path} does not last minutes`)
  bytes.writeDoubleBE(60_000, at)
  return new Uint8Array(bytes)
}

/** Returns the 8-bit 4:2:0 samples of all frames, in the given range. */
export function decodeSamples(path: string, format: 'yuv420p' | 'yuvj420p' = 'yuv420p'): Promise<Buffer> {
  return ffmpeg(
    ...['-noautorotate', '-i', path, '-map', '0:V:0', '-fps_mode', 'passthrough'],
    ...['-f', 'rawvideo', '-pix_fmt', format, 'pipe:1'],
  )
}

/** Returns the 8-bit 4:2:0 samples of all frames of two videos of one size. `count`: the frames of each. */
export async function decodeBoth(
  [one, other]: readonly [string, string],
  { count, width, height }: { readonly count: number; readonly width: number; readonly height: number },
): Promise<readonly [Buffer, Buffer]> {
  const inputs = [one, other].flatMap((path) => ['-noautorotate', '-i', path])
  // Numbered frames, because the first one of a video may be late.
  const frames = [0, 1].map((index) => `[${index}:V:0]settb=1/25,setpts=N,setsar=1[v${index}];`).join('')
  const joined = ['-filter_complex', `${frames}[v0][v1]concat=n=2`, '-fps_mode', 'passthrough']
  const both = await ffmpeg(...inputs, ...joined, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', 'pipe:1')
  const length = count * width * height * 1.5
  expect(both.length, 'samples of both videos').toBe(2 * length)
  return [both.subarray(0, length), both.subarray(length)]
}

/** Returns checksums of the packets of streams, one per line. */
export async function packetChecksums(path: string, ...streams: readonly string[]): Promise<string> {
  return (await checksums({ path, packets: streams }))[0] ?? ''
}

interface HashedStreams {
  readonly path: string
  readonly packets: readonly string[]
  /** Audio streams whose decoded samples are hashed, too. Default: none. */
  readonly sounds?: readonly string[]
}

/** Returns checksums of the packets of streams, then of the decoded samples, one per line, of each file. */
export async function checksums(...files: readonly HashedStreams[]): Promise<string[]> {
  const output = (streams: readonly string[], codec: string) => {
    if (streams.length === 0) return []
    return [...streams.flatMap((stream) => ['-map', stream]), '-c', codec, '-f', 'streamhash', 'pipe:1']
  }
  const outputs = files.flatMap(({ packets, sounds = [] }, index) => {
    const [copied, decoded] = [packets, sounds].map((streams) => streams.map((one) => `${index}:${one}`))
    return [...output(copied ?? [], 'copy'), ...output(decoded ?? [], 'pcm_s32le')]
  })
  const inputs = files.flatMap(({ path }) => ['-i', path])
  const lines = (await ffmpeg(...inputs, ...outputs)).toString().trim().split('\n')
  const counts = files.map(({ packets, sounds = [] }) => packets.length + sounds.length)
  expect(lines).toHaveLength(counts.reduce((sum, count) => sum + count, 0))
  return counts.map((count) => lines.splice(0, count).join('\n'))
}

/** A stream as reported by ffprobe, with its frames counted. */
export interface Stream {
  readonly codec_type: string
  readonly [field: string]: unknown
}

/** Returns the streams of a file. */
export async function probeStreams(path: string): Promise<readonly Stream[]> {
  const { ffprobe } = await locateFfmpeg()
  const text = await new Promise<string>((resolve, reject) => {
    const args = ['-v', 'error', '-count_frames', '-show_streams', '-of', 'json', path]
    execFile(ffprobe, args, (error, out) => (error ? reject(error) : resolve(out)))
  })
  return (JSON.parse(text) as { streams: Stream[] }).streams
}

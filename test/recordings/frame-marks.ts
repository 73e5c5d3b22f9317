import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import { encodeWav } from '../../src/media/audio/wav.ts'
import { formatRate, frameTime, hertz } from '../../src/media/frame-rate.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { generateOnce } from '../engines/ffmpeg/media-cache.ts'
import type { Recording } from './assemble.ts'
import { recordingEncoding } from './encoding.ts'

/** Frame rates at which recordings are cut. */
export const recordingRates: readonly Rational[] = [
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 50, den: 1 },
  { num: 60, den: 1 },
]

/** Size of the picture, and of a cell of a mark; pixels. */
const size = { width: 160, height: 96 } as const
const cell = { width: 10, height: 32 } as const
/** Bits of a frame number. A mark has a row of bits, a row of inverted bits, and a row that changes with each frame. */
const bits = 16
/** Least difference of a bit to its inverse, 0 to 255. */
const minContrast = 60

const [dark, bright] = [40, 210]

/** Changes with the marks, so that cached videos are made again. */
const marks = 'bits, inverted bits and motion, 1'

/** Draws the number of a frame: gray pixels. */
function drawMark(frame: number): Uint8Array {
  const pixels = new Uint8Array(size.width * size.height)
  for (let row = 0; row < size.height / cell.height; row += 1) {
    const start = row * cell.height * size.width
    for (let x = 0; x < size.width; x += 1) {
      const isSet = ((frame >> Math.floor(x / cell.width)) & 1) === 1
      const isBright = row === 2 ? (x + 4 * frame) % size.width < 20 : isSet === (row === 0)
      pixels[start + x] = isBright ? bright : dark
    }
    // All lines of a row are equal.
    for (let line = 1; line < cell.height; line += 1)
      pixels.copyWithin(start + line * size.width, start, start + size.width)
  }
  return pixels
}

/** Reads the number of a frame from gray pixels; null if there is no mark. */
function readMark(pixels: Uint8Array): number | null {
  let frame = 0
  for (let bit = 0; bit < bits; bit += 1) {
    const x = (bit + 0.5) * cell.width
    const at = (row: number) => pixels[Math.floor((row + 0.5) * cell.height) * size.width + x] ?? 0
    if (Math.abs(at(0) - at(1)) < minContrast) return null
    if (at(0) > at(1)) frame |= 1 << bit
  }
  return frame
}

/**
 * Writes a recording as `name`.mp4 (H.264 and AAC) with the number of each frame in its picture, as `name`.wav, and its
 * truth as `name`.json. Returns the path of the mp4.
 */
export async function writeRecording(
  folder: string,
  { samples, truth }: Recording,
  { name = 'recording', rate }: { readonly name?: string; readonly rate: Rational },
): Promise<string> {
  const [video, sound] = [join(folder, `${name}.mp4`), join(folder, `${name}.wav`)]
  await writeFile(sound, encodeWav({ samples, rate: speechRate }))
  await writeFile(join(folder, `${name}.json`), JSON.stringify(truth, null, 2))
  const frames = Math.ceil(truth.seconds * hertz(rate))
  async function* input() {
    for (let frame = 0; frame < frames; frame += 1) yield await Promise.resolve(drawMark(frame))
  }
  const encoding = [...recordingEncoding(sound), '-movflags', '+faststart']
  await generateOnce(video, {
    program: ['marked frames', marks, (await locateFfmpeg()).version],
    args: [formatRate(rate), String(frames), ...encoding],
    generate: (to) =>
      runRaw({
        args: [
          ...['-f', 'rawvideo', '-pix_fmt', 'gray', '-video_size', `${size.width}x${size.height}`],
          ...['-framerate', formatRate(rate), '-i', 'pipe:0', ...encoding, to],
        ],
        input: input(),
        timeoutMs: 600_000,
      }),
  })
  return video
}

/** Reads the frame numbers from the picture of a video, in order; null for frames without a mark. */
export async function readFrameNumbers(path: string): Promise<(number | null)[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-i', path, '-map', '0:v:0', '-vf', `scale=${size.width}:${size.height}:flags=area`],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'],
    ],
    timeoutMs: 600_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  const stdout = Buffer.concat(chunks)
  const length = size.width * size.height
  return Array.from({ length: Math.floor(stdout.length / length) }, (_, frame) =>
    readMark(stdout.subarray(frame * length, (frame + 1) * length)),
  )
}

/** Joins consecutive frame numbers to the spans of the source that a video shows, in its order; seconds. */
export function spansOfFrames(
  frames: readonly (number | null)[],
  rate: Rational,
): { start: number; end: number }[] {
  const spans: { first: number; end: number }[] = []
  for (const frame of frames) {
    if (frame === null) throw new Error('a frame has no mark')
    const last = spans.at(-1)
    if (last?.end === frame) last.end += 1
    else spans.push({ first: frame, end: frame + 1 })
  }
  return spans.map(({ first, end }) => ({ start: frameTime(first, rate), end: frameTime(end, rate) }))
}

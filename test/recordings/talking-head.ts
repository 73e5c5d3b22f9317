import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import { encodeWav } from '../../src/media/audio/wav.ts'
import { formatRate, hertz } from '../../src/media/frame-rate.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { generateOnce } from '../engines/ffmpeg/media-cache.ts'
import type { Recording } from './assemble.ts'
import { recordingEncoding } from './encoding.ts'

/** A real speaker, 1080x720 at 30 fps: his lips move in these frames, and rest in those. Both included. */
const [speaking, resting] = [
  { first: 150, last: 197 },
  { first: 268, last: 294 },
] as const

/** How a speaker is filmed. */
export interface FilmOptions {
  readonly name: string
  readonly rate: Rational
  /** Height of the picture before `filters`, px. Default: 240. */
  readonly height?: number
  /** Whether the lips move while somebody speaks. Default: true. */
  readonly moves?: boolean
  /** Filters and options of the encoder. */
  readonly output?: readonly string[]
}

/** Writes a recording as `name`.mp4, in which a real face moves its lips while somebody speaks. Returns its path. */
export async function filmSpeaker(
  folder: string,
  { samples, truth }: Recording,
  { name, rate, height = 240, moves = true, output = [] }: FilmOptions,
): Promise<string> {
  const [video, sound] = [join(folder, `${name}.mp4`), join(folder, `${name}.wav`)]
  await writeFile(sound, encodeWav({ samples, rate: speechRate }))
  const width = 1.5 * height
  const frames = Math.ceil(truth.seconds * hertz(rate))
  const speech = moves ? truth.passages.map(({ start, end }) => ({ start, end })) : []
  async function* input() {
    const shots = await speakerShots(width, height)
    for (let frame = 0; frame < frames; frame += 1) {
      const time = frame / hertz(rate)
      const speaks = speech.some(({ start, end }) => time >= start && time < end)
      yield shots[backAndForth(frame, speaks ? speaking : resting)] ?? Buffer.alloc(0)
    }
  }
  const encoding = [...recordingEncoding(sound), ...output]
  await generateOnce(video, {
    program: ['speaker', JSON.stringify([speaking, resting, speech]), (await locateFfmpeg()).version],
    args: [formatRate(rate), String(frames), String(height), '-i', speakerPath(), ...encoding],
    generate: (to) =>
      runRaw({
        args: [
          ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`],
          ...['-framerate', formatRate(rate), '-i', 'pipe:0', ...encoding, to],
        ],
        input: input(),
        timeoutMs: 600_000,
      }),
  })
  return video
}

function speakerPath(): string {
  return join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4')
}

/** Frames of the speaker by their size, for all films of it. */
const shotsOfSize = new Map<string, Promise<Buffer[]>>()

function speakerShots(width: number, height: number): Promise<Buffer[]> {
  const size = `${width}x${height}`
  const shots = shotsOfSize.get(size) ?? readSpeaker(width, height)
  shotsOfSize.set(size, shots)
  return shots
}

/** Decodes the frames of the speaker. */
async function readSpeaker(width: number, height: number): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-i', speakerPath(), '-map', '0:v:0'],
      ...['-vf', `scale=${width}:${height}:flags=area,format=yuv420p`, '-f', 'rawvideo', 'pipe:1'],
    ],
    timeoutMs: 600_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  const frames = Buffer.concat(chunks)
  const length = 1.5 * width * height
  return Array.from({ length: Math.floor(frames.length / length) }, (_, frame) =>
    frames.subarray(frame * length, (frame + 1) * length),
  )
}

/** Frame of a span that is played forward and backward in turn. */
function backAndForth(
  at: number,
  { first, last }: { readonly first: number; readonly last: number },
): number {
  const steps = last - first
  const position = at % (2 * steps)
  return first + (position <= steps ? position : 2 * steps - position)
}

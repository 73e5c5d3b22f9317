import { soundSpan } from '../../media/speech/speech-assembler.ts'
import { LoudnessMeter } from '../../media/audio/loudness.ts'
import { resample } from '../../media/audio/resample.ts'
import type { SampleSpan } from '../../media/dubbing/ducking.ts'
import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { rechunk } from '../../platform/streams.ts'
import { cutFades, soundRate } from '../ffmpeg/sound-filters.ts'
import { streamOutput } from '../ffmpeg/stream-output.ts'
import { asFloats, silentPcm } from '../timeline/mix-pcm.ts'
import { retimeFilters } from '../timeline/sound.ts'
import { writeSpeech } from '../voice/speech-file.ts'
import { writeComplete } from './complete-file.ts'

/** A spoken line and its place in the output. */
export interface LaidLine {
  /** Reads its speech at speed 1. Called once; the speech is then kept for a short time only. */
  read(): Promise<MonoAudio>
  /** 1 is the speed of the speech, 1.15 is faster. The pitch is kept. */
  readonly speed: number
  /** Where its speech starts, without the silence before it; samples at 48 kHz. */
  readonly start: number
  /** Greatest length in the output; what is longer loses its tail. Samples at 48 kHz. */
  readonly length: number
}

interface LayLinesOptions {
  /** WAV to write. */
  readonly path: string
  /** Length of the file, samples at 48 kHz. */
  readonly duration: number
  readonly signal: AbortSignal
  /** Called with the number of finished lines, increasing. */
  readonly onLines?: (count: number) => void
}

/** Comment that marks files with dubbed speech. */
export const dubComment = 'Dubbed with AI-generated speech (Reelwright)'

/**
 * Writes lines as the sound of a dub: mono, 48 kHz, 16 bits, marked as AI-generated. Silence at the ends of each speech is
 * cut, all lines have the same loudness, and both ends are faded over 5 ms. A line that reaches into the next one loses its
 * tail. Returns the span of each line that is heard, in order.
 */
export async function layLines(
  lines: readonly LaidLine[],
  { path, duration, signal, onLines = () => {} }: LayLinesOptions,
): Promise<SampleSpan[]> {
  const spans: SampleSpan[] = []
  const ordered = lines.toSorted((one, other) => one.start - other.start)
  async function* sound(ended: AbortSignal): AsyncGenerator<Uint8Array> {
    let position = 0
    for await (const pieces of readPieces(ordered, duration)) {
      for await (const { samples, at } of retimePieces(pieces, AbortSignal.any([signal, ended]))) {
        yield* silentPcm(at - position, 1)
        yield floatBytes(samples)
        position = at + samples.length
      }
      spans.push(...pieces.map(({ start, length }) => ({ from: start, to: start + length })))
      onLines(spans.length)
    }
    yield* silentPcm(duration - position, 1)
  }
  await writeComplete(path, async (unfinished) => {
    const speech = { input: sound, rate: soundRate, seconds: duration / soundRate }
    await writeSpeech(speech, { path: unfinished, format: 'wav', comment: dubComment, signal })
  })
  return spans
}

/** Speech of a line, at the rate of results and with its final level. */
interface Piece {
  readonly samples: Float32Array
  readonly speed: number
  readonly start: number
  /** Length in the output, samples. */
  readonly length: number
}

/** Largest batch of lines that one process retimes: it keeps their sound in memory, 46 MB for these samples. */
const maxBatch = { lines: 64, samples: 240 * soundRate }

/** Yields the audible lines in batches. */
async function* readPieces(lines: readonly LaidLine[], duration: number): AsyncGenerator<Piece[]> {
  let [batch, total]: [Piece[], number] = [[], 0]
  for (const [index, line] of lines.entries()) {
    const samples = levelledSpeech(await line.read())
    const end = Math.min(duration, lines[index + 1]?.start ?? duration, line.start + line.length)
    const length = Math.min(Math.round(samples.length / line.speed), end - line.start)
    if (length <= 0) continue
    batch.push({ samples, speed: line.speed, start: line.start, length })
    total += samples.length
    if (batch.length < maxBatch.lines && total < maxBatch.samples) continue
    yield batch
    ;[batch, total] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** Loudness of each line in two channels, LUFS, and its highest sample, linear: -1.5 dBFS. */
const lineLoudness = -20
const maxPeak = 10 ** (-1.5 / 20)

/** Greatest amplification, linear: 40 dB. */
const maxGain = 100

/** Least length of sound whose loudness is measured, samples: a block of the meter. */
const measuredSamples = 0.4 * soundRate

/** Returns speech at 48 kHz without silence at its ends, at the loudness of all lines. */
function levelledSpeech({ samples, rate }: MonoAudio): Float32Array {
  const { from, to } = soundSpan(samples, rate)
  const speech = resample({ samples: samples.subarray(from, to), rate }, soundRate)
  if (speech.length === 0) return speech
  const meter = new LoudnessMeter()
  const both = new Float32Array(2 * speech.length)
  for (let at = 0; at < both.length; at += 1) both[at] = speech[at >> 1] ?? 0
  // A shorter sound is repeated: the silence after it would count.
  for (let measured = 0; measured < measuredSamples; measured += speech.length) meter.push(both)
  const loudness = meter.finish() ?? lineLoudness
  const peak = speech.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  const gain = Math.min(10 ** ((lineLoudness - loudness) / 20), maxGain, maxPeak / peak)
  return speech.map((sample) => sample * gain)
}

/** Time limit of a batch, ms: it takes seconds. */
const batchMs = 600_000

const monoFormat = ['-f', 'f32le', '-ar', String(soundRate), '-ac', '1']

/** Yields the retimed and faded sound of the lines in chunks, with the sample of the output at which each starts. */
async function* retimePieces(
  pieces: readonly Piece[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly samples: Float32Array; readonly at: number }> {
  const output = streamOutput({
    args: [
      ...['-protocol_whitelist', 'pipe', ...monoFormat, '-i', 'pipe:0'],
      ...['-filter_complex', retimingGraph(pieces)],
      ...['-map', '[a]', ...monoFormat, 'pipe:1'],
    ],
    input: pieceBytes(pieces),
    ...{ signal, timeoutMs: batchMs },
  })
  const remaining = pieces.values()
  let current = remaining.next().value
  let done = 0
  for await (const bytes of rechunk(output)) {
    for (let chunk = asFloats(bytes); chunk.length > 0 && current;) {
      const samples = chunk.subarray(0, current.length - done)
      yield { samples, at: current.start + done }
      chunk = chunk.subarray(samples.length)
      done += samples.length
      if (done < current.length) continue
      current = remaining.next().value
      done = 0
    }
  }
}

/**
 * Returns the graph from the sound of all lines, one after another, to their retimed sound, one after another. atempo starts
 * exactly with the speech and keeps the pitch of a voice to a thousandth; rubberband moves it by up to a hundredth.
 */
function retimingGraph(pieces: readonly Piece[]): string {
  let from = 0
  const chains = pieces.map(({ samples, speed, length }, index) => {
    const cut = `atrim=start_sample=${from}:end_sample=${(from += samples.length)},asetpts=PTS-STARTPTS`
    const retime = retimeFilters(speed, { keepPitch: true, rubberband: false })
    const fades = cutFades({ samples: length, fadeIn: true, fadeOut: true, milliseconds: 5 })
    const end = [`apad=whole_len=${length}`, `atrim=end_sample=${length}`, 'asetpts=N/SR/TB', ...fades]
    return `[s${index}]${[cut, ...retime, ...end].join(',')}[r${index}]`
  })
  const labels = (name: string) => pieces.map((_, index) => `[${name}${index}]`).join('')
  return [
    `[0:a]asplit=${pieces.length}${labels('s')}`,
    ...chains,
    `${labels('r')}concat=n=${pieces.length}:v=0:a=1[a]`,
  ].join(';')
}

async function* pieceBytes(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const { samples } of pieces) yield await Promise.resolve(floatBytes(samples))
}

function floatBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { fileTimes, fromKeyFrame } from '../../src/engines/ffmpeg/input-options.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { inputArgs } from '../../src/engines/ffmpeg/run.ts'
import { soundRate, stereoFilter } from '../../src/engines/ffmpeg/sound-filters.ts'
import { decodePcm, type Pcm, pcmBytes } from '../../src/engines/ffmpeg/sound.ts'
import { packAudioTracks, varispeedRates } from '../../src/media/timeline/audio-tracks.ts'
import {
  layOutPieces,
  type Piece,
  pieceSourceRange,
  type SourceRange,
} from '../../src/media/timeline/pieces.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import { rechunk } from '../../src/platform/streams.ts'

interface TimelineSoundOptions {
  readonly timeline: Timeline
  readonly context: Pick<RunContext, 'files' | 'scratch'>
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Number of tracks mixed together, with one decoding process each. More tracks are mixed in several rounds.
 */
const tracksAtOnce = 8

/** Number of clips that one process decodes in sequence. */
const clipsAtOnce = 8

/**
 * Returns the mixed sound of a timeline with exactly the length of the output. Clips are decoded on demand.
 */
export function timelineSound(job: TimelineSoundOptions): Pcm {
  const { timeline, context } = job
  const samples = Math.round((timeline.frames / timeline.rate) * soundRate)
  const clips = timeline.sound.flat()
  const isSilent = clips.every(({ material }) => !context.files.get(material).facts?.audio.length)
  const until = (ended: AbortSignal) => ({ ...job, signal: AbortSignal.any([job.signal, ended]) })
  return {
    samples,
    isSilent,
    input: (ended) => (isSilent ? silentPcm(samples) : mixTracks(samples, until(ended))),
  }
}

async function* mixTracks(samples: number, job: TimelineSoundOptions): AsyncGenerator<Uint8Array> {
  const { context, signal } = job
  const { filters } = await locateFfmpeg()
  const lanes = packAudioTracks(job.timeline.sound).map((clips) =>
    renderTrack(
      layOutPieces(clips, { total: samples, perSecond: soundRate }),
      job,
      filters.has('rubberband'),
    ),
  )
  let sum: AsyncGenerator<Uint8Array> = silentPcm(samples)
  while (lanes.length > tracksAtOnce) {
    const part = join(context.scratch, `mix-${lanes.length}.f32`)
    await pipeline(mixPcm([sum, ...lanes.splice(0, tracksAtOnce)]), createWriteStream(part), { signal })
    sum = readAndDelete(part)
  }
  yield* mixPcm([sum, ...lanes])
}

/** Yields one track from start to end: silence, and groups of clips decoded by one process each. */
async function* renderTrack(
  pieces: readonly Piece[],
  job: TimelineSoundOptions,
  rubberband: boolean,
): AsyncGenerator<Uint8Array> {
  const sounding = pieces.map((piece) => {
    const stretch = pieceSourceRange(piece, soundRate)
    return stretch && hasSound(stretch, job.context.files.get(stretch.clip.material)) ? stretch : undefined
  })
  for (let index = 0; index < pieces.length;) {
    const piece = pieces[index]
    if (!piece) return
    const end = sounding.findIndex(
      (one, at) => at >= index && (one === undefined || at >= index + clipsAtOnce),
    )
    const group = sounding.slice(index, end < 0 ? pieces.length : end).filter((one) => one !== undefined)
    if (group.length === 0) yield* silentPcm(piece.units)
    else yield* decodeRanges(group, job, rubberband)
    index += Math.max(1, group.length)
  }
}

/** Returns whether a file has sound at the start of a section. */
function hasSound({ from }: SourceRange, { facts }: StagedFile): boolean {
  const audio = facts?.audio[0]
  return audio !== undefined && from * 1000 < audio.start_ms + (audio.duration_ms || facts?.duration_ms || 0)
}

/** Lead-in of audio decoders, seconds. They are exact only after some preceding sound. */
const leadIn = 0.5

/** Returns where reading starts for sound from a time of a file on, seconds. */
function decodeStart(from: number): number {
  return Math.max(0, from - leadIn)
}

/** Yields consecutive sections, each with exactly the length of its piece. */
async function* decodeRanges(
  stretches: readonly SourceRange[],
  job: TimelineSoundOptions,
  rubberband: boolean,
): AsyncGenerator<Uint8Array> {
  const { files, scratch: cwd } = job.context
  const { signal, timeoutMs } = job
  const inputs = stretches.flatMap(({ clip, from }) => {
    const { path, facts } = files.get(clip.material)
    const sought = facts?.video ?? facts?.audio[0]
    return inputArgs(path, ['-vn', ...(sought ? fromKeyFrame(decodeStart(from), sought) : [])])
  })
  const chains = stretches.map((stretch, index) => {
    const mono = files.get(stretch.clip.material).facts?.audio[0]?.channels === 1
    return `[${index}:a:0]${rangeFilters(stretch, { mono, rubberband })}[a${index}]`
  })
  const all = stretches.map((_, index) => `[a${index}]`).join('')
  const graph = [...chains, `${all}concat=n=${stretches.length}:v=0:a=1[a]`].join(';')
  const wanted = stretches.reduce((sum, { units }) => sum + units, 0) * pcmBytes
  const decoded = decodePcm([...fileTimes, ...inputs, '-filter_complex', graph], { cwd, signal, timeoutMs })
  let given = 0
  try {
    for await (const chunk of decoded) {
      const rest = chunk.subarray(0, wanted - given)
      given += rest.length
      yield rest
    }
  } catch (error) {
    throw withClipNames(error, stretches, files)
  }
  yield* silentPcm((wanted - given) / pcmBytes)
}

/** Returns a decoding error that names the possible clips and files. Returns other errors unchanged. */
function withClipNames(
  cause: unknown,
  stretches: readonly SourceRange[],
  files: RunContext['files'],
): unknown {
  if (!(cause instanceof MediaError) || (cause.code !== 6017 && cause.code !== 6021)) return cause
  const places = stretches.map(
    ({ clip: { requestPath: at, material } }) => `${at}.material: ${files.get(material).name}`,
  )
  const message = `the sound cannot be decoded of ${places.join(' or ')}: ${cause.message}`
  return new MediaError(cause.code, message, { cause, hint: cause.hint })
}

function rangeFilters(
  { clip, from, to, units }: SourceRange,
  { mono, rubberband }: { mono: boolean; rubberband: boolean },
): string {
  const start = from - decodeStart(from)
  return [
    `asetpts=PTS-${decodeStart(from).toFixed(6)}/TB`,
    stereoFilter(mono),
    // Padded before the cut, so that sound that ends early is followed by silence.
    `apad,atrim=start=${start.toFixed(6)}:end=${(start + to - from).toFixed(6)},asetpts=PTS-STARTPTS`,
    ...retimeFilters(clip.speed, { keepPitch: clip.keepPitch, rubberband }),
    ...(clip.volume === 1 ? [] : [`volume=volume=${clip.volume}:precision=float`]),
    `aformat=sample_fmts=fltp:channel_layouts=stereo,apad,atrim=end_sample=${units},asetpts=N/SR/TB`,
  ].join(',')
}

/**
 * Returns filters that change the speed of 48 kHz sound. Empty at speed 1. Pads with silence if the pitch is
 * kept.
 */
export function retimeFilters(
  speed: number,
  { keepPitch, rubberband }: { keepPitch: boolean; rubberband: boolean },
): string[] {
  if (speed === 1) return []
  if (!keepPitch) {
    const { from, to } = varispeedRates(speed)
    return [`aresample=${from}`, `asetrate=${to}`, 'aresample=48000']
  }
  // Both filters delay their last samples until more input arrives.
  return ['apad=pad_dur=1', ...(rubberband ? [`rubberband=tempo=${speed}`] : tempoFilters(speed))]
}

/** Returns equal atempo steps from 0.5 to 2: the filter's minimum is 0.5, and above 2 it skips samples. */
function tempoFilters(speed: number): string[] {
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed))))
  return Array.from({ length: steps }, () => `atempo=${(speed ** (1 / steps)).toFixed(9)}`)
}

/**
 * Adds PCM streams of equal length, sample by sample. Ends all streams whether it succeeds, fails or stops
 * early.
 */
async function* mixPcm(sources: readonly AsyncGenerator<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  const batches = sources.map((source) => rechunk(source))
  try {
    for (;;) {
      const next = await Promise.all(batches.map((batch) => batch.next()))
      const [first, ...others] = next.flatMap(({ value, done }) => (done === true ? [] : [asFloats(value)]))
      if (!first) return
      const sum = first.slice()
      for (const other of others) {
        for (let index = 0; index < sum.length; index += 1)
          sum[index] = (sum[index] ?? 0) + (other[index] ?? 0)
      }
      yield new Uint8Array(sum.buffer)
    }
  } finally {
    await Promise.allSettled([...batches, ...sources].map((one) => one.return(undefined)))
  }
}

function asFloats({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT)
}

/** Reads a file once and deletes it. Such files take 23 MB per minute. */
async function* readAndDelete(path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 2 ** 20 })
  yield* chunks
  await rm(path)
}

const zeros = new Uint8Array(2 ** 16)

/** Yields stereo float samples of silence, `samples` per channel. */
async function* silentPcm(samples: number): AsyncGenerator<Uint8Array> {
  for (let left = samples * pcmBytes; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}

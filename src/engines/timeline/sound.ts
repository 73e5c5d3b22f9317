import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { fileTimes, fromKeyFrame } from '../ffmpeg/input-options.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { inputArgs } from '../ffmpeg/run.ts'
import { cutFades, padTo, soundDecodeStart, soundRate, stereoFilter } from '../ffmpeg/sound-filters.ts'
import { decodePcm, type Pcm, pcmBytes } from '../ffmpeg/sound.ts'
import { frameTime } from '../../media/frame-rate.ts'
import { joinContinuousClips, packAudioTracks, varispeedRates } from '../../media/timeline/audio-tracks.ts'
import {
  layOutPieces,
  type Piece,
  pieceMaterialRange,
  type MaterialRange,
} from '../../media/timeline/pieces.ts'
import { crossfadedClips, type CrossfadedTrack } from '../../media/timeline/crossfaded-clips.ts'
import { clipTolerance, type Timeline, type TimelineClip } from '../../media/timeline/timeline.ts'
import { crossfadeTracks } from './crossfade.ts'
import { limitContext } from './limit-context.ts'
import { mixPcm, readAndDelete, silentPcm } from './mix-pcm.ts'

interface TimelineSoundOptions {
  readonly timeline: Timeline
  readonly context: Pick<RunContext, 'files' | 'scratch'>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Length of the fades at cuts, ms, or of the crossfades of the first track: see `RenderTimelineOptions`. */
  readonly fadeMs?: number | readonly number[] | undefined
}

/**
 * Returns the mixed sound of a timeline with exactly the length of the output. Starts decoding when `input` is
 * called and stops when its signal aborts.
 */
export function timelineSound(options: TimelineSoundOptions): Pcm {
  const { timeline, context } = options
  const samples = Math.round(frameTime(timeline.frames, timeline.rate) * soundRate)
  const clips = timeline.sound.flat()
  const isSilent = clips.every(({ material }) => !context.files.get(material).facts?.audio.length)
  const tracks = soundTracks(options)
  const isRaised = clips.some(({ volume, speed }) => volume > 1 || speed !== 1)
  return {
    samples,
    isMixed: !isSilent && (tracks.length > 1 || isRaised),
    input(ended) {
      if (isSilent) return silentPcm(samples)
      return mixTracks(tracks, samples, { ...options, signal: AbortSignal.any([options.signal, ended]) })
    },
  }
}

/** A track of clips that do not overlap, or that overlap at its seams. */
type SoundTrack = readonly TimelineClip[] | CrossfadedTrack

/** Returns the minimum number of tracks without overlaps, except those at the seams of the first one. */
function soundTracks({ timeline: { sound }, context, fadeMs }: TimelineSoundOptions): SoundTrack[] {
  const [first = [], ...others] = sound
  if (typeof fadeMs !== 'object') return packAudioTracks(sound.map(joinContinuousClips))
  const soundOf = (material: string) => soundSpan(context.files.get(material))
  const track = crossfadedClips(first, { lengthsMs: fadeMs, soundOf, perSecond: soundRate })
  return [track, ...packAudioTracks(others.map(joinContinuousClips))]
}

/** Maximum number of tracks mixed at once, with one decoding process each. Further tracks are mixed in rounds. */
const tracksAtOnce = 8

/** Yields the sum of all tracks. Each round is stored in a temporary file, which the next round reads. */
async function* mixTracks(
  mixed: readonly SoundTrack[],
  samples: number,
  options: TimelineSoundOptions,
): AsyncGenerator<Uint8Array> {
  const { context, signal } = options
  const { filters } = await locateFfmpeg()
  const rubberband = filters.has('rubberband')
  const render = (clips: readonly TimelineClip[], seams?: CrossfadedTrack) =>
    renderTrack(layOutPieces(clips, { total: samples, perSecond: soundRate }), {
      ...{ ...options, rubberband, seams },
    })
  const tracks = mixed.map((track) => {
    if (!('seams' in track)) return render(track)
    const [one, other] = track.tracks
    return crossfadeTracks(render(one, track), render(other, track), track.seams)
  })
  let sum: AsyncGenerator<Uint8Array> = silentPcm(samples)
  while (tracks.length > tracksAtOnce) {
    const roundPath = join(context.scratch, `mix-${tracks.length}.f32`)
    await pipeline(mixPcm([sum, ...tracks.splice(0, tracksAtOnce)]), createWriteStream(roundPath), { signal })
    sum = readAndDelete(roundPath)
  }
  yield* mixPcm([sum, ...tracks])
}

/** Maximum number of clips that one process decodes in sequence. */
const clipsPerProcess = 8

interface RenderTrackOptions extends TimelineSoundOptions {
  /** Whether ffmpeg has that filter. */
  readonly rubberband: boolean
  /** Crossfaded track that the clips are from. */
  readonly seams: CrossfadedTrack | undefined
}

/** Yields the samples of one track: silence for gaps, and groups of clips decoded by one process each. */
async function* renderTrack(
  pieces: readonly Piece[],
  options: RenderTrackOptions,
): AsyncGenerator<Uint8Array> {
  const { seams, rubberband } = options
  const ranges = pieces.map((piece) => {
    const range = pieceMaterialRange(piece, soundRate)
    return range && hasSound(range, options.context.files.get(range.clip.material)) ? range : undefined
  })
  const audibleRanges = ranges.map((range, index): AudibleRange | undefined => {
    if (!range) return undefined
    const { fadeIn, fadeOut } = soundCuts(range, options.context.files.get(range.clip.material))
    return {
      ...range,
      fadeIn: (fadeIn || ranges[index - 1] !== undefined) && !seams?.extendedBefore.has(range.clip),
      fadeOut: (fadeOut || ranges[index + 1] !== undefined) && !seams?.extendedAfter.has(range.clip),
    }
  })
  for (let index = 0; index < pieces.length;) {
    const piece = pieces[index]
    if (!piece) return
    const end = audibleRanges.findIndex(
      (range, at) => at >= index && (range === undefined || at >= index + clipsPerProcess),
    )
    const group = audibleRanges
      .slice(index, end < 0 ? pieces.length : end)
      .filter((range) => range !== undefined)
    if (group.length === 0) yield* silentPcm(piece.units)
    else yield* decodeRanges(group, options, rubberband)
    index += Math.max(1, group.length)
  }
}

/** Returns whether a file has sound at the start of a range. */
function hasSound({ from }: MaterialRange, { facts }: StagedFile): boolean {
  const audio = facts?.audio[0]
  return audio !== undefined && from * 1000 < audio.start_ms + (audio.duration_ms || facts?.duration_ms || 0)
}

/** A range with its cuts: the sound of its neighbour, or the rest of its source, does not continue there. */
interface AudibleRange extends MaterialRange {
  readonly fadeIn: boolean
  readonly fadeOut: boolean
}

/** Returns whether a range starts or ends inside the sound of its file. */
function soundCuts({ from, to }: MaterialRange, file: StagedFile): Pick<AudibleRange, 'fadeIn' | 'fadeOut'> {
  const sound = soundSpan(file)
  return { fadeIn: from > sound.from + clipTolerance, fadeOut: to < sound.to - clipTolerance }
}

/** Returns the time in a file that has sound, seconds. */
function soundSpan({ facts }: StagedFile): { from: number; to: number } {
  const { start_ms: start = 0, duration_ms: duration = 0 } = facts?.audio[0] ?? {}
  return { from: start / 1000, to: (start + (duration || (facts?.duration_ms ?? 0))) / 1000 }
}

/** Yields the sound of consecutive ranges, each with exactly the length of its piece. */
async function* decodeRanges(
  ranges: readonly AudibleRange[],
  options: TimelineSoundOptions,
  rubberband: boolean,
): AsyncGenerator<Uint8Array> {
  const { files, scratch: cwd } = options.context
  const { signal, timeoutMs } = options
  const fadeMs = typeof options.fadeMs === 'number' ? options.fadeMs : undefined
  const inputs = ranges.flatMap(({ clip, from }) => {
    const { path, facts } = files.get(clip.material)
    const seekStream = facts?.video ?? facts?.audio[0]
    return inputArgs(path, ['-vn', ...(seekStream ? fromKeyFrame(soundDecodeStart(from), seekStream) : [])])
  })
  const chains = ranges.map((range, index) => {
    const mono = files.get(range.clip.material).facts?.audio[0]?.channels === 1
    return `[${index}:a:0]${rangeFilters(range, { index, mono, rubberband, fadeMs })}[a${index}]`
  })
  const labels = ranges.map((_, index) => `[a${index}]`).join('')
  const graph = [...chains, `${labels}concat=n=${ranges.length}:v=0:a=1[a]`].join(';')
  const expectedBytes = ranges.reduce((sum, { units }) => sum + units, 0) * pcmBytes
  const decoded = decodePcm([...fileTimes, ...inputs, '-filter_complex', graph], { cwd, signal, timeoutMs })
  let yieldedBytes = 0
  try {
    for await (const chunk of decoded) {
      const bytes = chunk.subarray(0, expectedBytes - yieldedBytes)
      yieldedBytes += bytes.length
      yield bytes
    }
  } catch (error) {
    throw withClipNames(error, ranges, files)
  }
  yield* silentPcm((expectedBytes - yieldedBytes) / pcmBytes)
}

/** Returns a decoding error that names the possible clips and files. Returns other errors unchanged. */
function withClipNames(
  cause: unknown,
  ranges: readonly MaterialRange[],
  files: RunContext['files'],
): unknown {
  if (!(cause instanceof MediaError) || (cause.code !== 6017 && cause.code !== 6021)) return cause
  const sources = ranges.map(
    ({ clip: { requestPath, material } }) => `${requestPath}.material: ${files.get(material).name}`,
  )
  const message = `the sound of ${sources.join(' or ')} cannot be decoded: ${cause.message}`
  return new MediaError(cause.code, message, { cause, hint: cause.hint })
}

/**
 * Sound before and after a range that is retimed with it, seconds: filters that keep the pitch are quieter at both ends of
 * their input.
 */
const retimingContext = 0.1

interface RangeFilters {
  /** Distinguishes the labels of the range from those of others in a graph. */
  readonly index: number
  readonly mono: boolean
  readonly rubberband: boolean
  readonly fadeMs: number | undefined
}

/** Returns the filters from a decoded file to the samples of one range: cut, retimed, faded and with its volume. */
function rangeFilters(
  { clip, from, to, units, fadeIn, fadeOut }: AudibleRange,
  { index, mono, rubberband, fadeMs }: RangeFilters,
): string {
  const start = from - soundDecodeStart(from)
  const samples = Math.round((to - from) * soundRate)
  const after = clip.keepPitch && clip.speed !== 1 ? Math.min(samples, retimingContext * soundRate) : 0
  const before = Math.min(Math.floor(start * soundRate), after)
  const [first, last] = [start - before / soundRate, start + to - from + after / soundRate]
  return [
    `asetpts=PTS-${soundDecodeStart(from).toFixed(6)}/TB`,
    stereoFilter(mono),
    // Padded before the cut, so that sound that ends early is followed by silence.
    `${padTo(last)},atrim=start=${first.toFixed(6)}:end=${last.toFixed(6)},asetpts=PTS-STARTPTS`,
    ...(after > 0 ? [limitContext({ index, before, samples, after })] : []),
    ...retimeFilters(clip.speed, { keepPitch: clip.keepPitch, rubberband }),
    ...(before > 0 ? [`atrim=start_sample=${Math.round(before / clip.speed)},asetpts=PTS-STARTPTS`] : []),
    ...(clip.volume === 1 ? [] : [`volume=volume=${clip.volume}:precision=float`]),
    `aformat=sample_fmts=fltp:channel_layouts=stereo,${padTo(units / soundRate)},atrim=end_sample=${units},asetpts=N/SR/TB`,
    ...cutFades({ samples: units, fadeIn, fadeOut, milliseconds: fadeMs }),
  ].join(',')
}

/**
 * Returns filters that change the speed of 48 kHz sound, none at speed 1. If the pitch is kept, the result is padded
 * with silence. rubberband: whether ffmpeg has that filter; otherwise atempo is used.
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

/** Returns atempo filters of equal factors from 0.5 to 2: its minimum is 0.5, and above 2 it skips samples. */
function tempoFilters(speed: number): string[] {
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed))))
  return Array.from({ length: steps }, () => `atempo=${(speed ** (1 / steps)).toFixed(9)}`)
}

import { MediaError } from '../../src/contract/errors.ts'
import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile, RequestFiles, InputOf } from '../../src/contract/operation.ts'
import { frameSpan, type FrameSpan, splitIntoRuns } from '../../src/media/particle/frame-spans.ts'
import { exactRate, frameTime, hertz, nearestFrame } from '../../src/media/frame-rate.ts'
import { checkSourceSize, reduceSizeHint } from '../../src/media/particle/source-size.ts'
import type { htmlRenderSimple } from './contract.ts'

export type HtmlRenderInput = InputOf<typeof htmlRenderSimple>
type CompositionTrack = HtmlRenderInput['composition']['tracks'][number]
type CompositionBeat = HtmlRenderInput['composition']['beats'][number]

/** The base video of an mp4, and the frames that show it. */
interface BaseVideo<F extends RequestFile> {
  readonly file: F
  readonly video: VideoFacts
  readonly startFrame: number
  readonly endFrame: number
  /** Whether its own sound is heard. */
  readonly isHeard: boolean
}

/** A particle whose source has been located and measured. */
export interface ScheduledBeat<F extends RequestFile> {
  /** Name in errors. */
  readonly name: string
  readonly beat: CompositionBeat
  /** File of its source; undefined if the request contains the source. */
  readonly file: F | undefined
  /** Size of its source. */
  readonly bytes: number
}

/** A request converted to frames. */
export interface Schedule<F extends RequestFile = RequestFile> {
  readonly rate: Rational
  readonly frames: number
  readonly base: BaseVideo<F> | undefined
  /** File whose audio plays from the beginning. */
  readonly sound: F | undefined
  readonly beats: readonly ScheduledBeat<F>[]
  readonly notes: readonly string[]
}

/** Longest result: 6 hours, in seconds. */
const maxSeconds = 6 * 3600

/** Computes the frames of base and particles. Throws 6014 for files of the wrong kind, 6016 for invalid tracks and lengths. */
export function schedule<F extends RequestFile>(input: HtmlRenderInput, files: RequestFiles<F>): Schedule<F> {
  const { composition, render } = input
  const fileOf = (name: string) => files.get(composition.assets.file_id[name] ?? '')
  const rate = exactRate(render.fps ?? composition.fps)
  const beats = composition.beats.map((beat, index) => scheduleBeat(beat, { index, fileOf }))
  checkTotalSize(beats)
  const beatsEnd = Math.max(0, ...composition.beats.map(({ start, duration }) => start + duration))
  const tracks = composition.tracks.map((track, index) => placeTrack(track, { index, fileOf }))
  checkOverlaps(tracks)
  const isLayer = render.output_format !== 'mp4'
  const videos = tracks.filter(({ track }) => track.type === 'video')
  const sounds = tracks.filter(({ track }) => track.type === 'audio')
  const [picture] = videos
  const [sound] = sounds
  const seconds = isLayer
    ? beatsEnd
    : (composition.duration ?? Math.max(beatsEnd, ...tracks.map(({ end }) => end)))
  if (seconds > maxSeconds) {
    throw new MediaError(
      6016,
      `the result would last ${(seconds / 3600).toFixed(1)} hours; at most 6 are allowed`,
      {
        hint: 'Set composition.duration, or shorten tracks and particles.',
      },
    )
  }
  const frames = Math.max(1, nearestFrame(seconds, rate))
  const base = isLayer || !picture ? undefined : createBase(picture, { rate, frames })
  return {
    rate,
    frames,
    base,
    sound: isLayer ? undefined : sound?.file,
    beats,
    notes: isLayer
      ? []
      : [
          ...[videos, sounds].flatMap(unusedTrackNotes),
          ...ignoredFieldNotes(sound, seconds),
          ...(picture && !sound ? mutedNotes(picture) : []),
          ...blackAfterNotes(base, { rate, frames }),
          ...otherRateNotes(base, rate),
        ],
  }
}

interface BeatPosition<F> {
  readonly index: number
  readonly fileOf: (name: string) => F
}

function scheduleBeat<F extends RequestFile>(
  beat: CompositionBeat,
  { index, fileOf }: BeatPosition<F>,
): ScheduledBeat<F> {
  const field = `beats[${index}]`
  const name = beat.id === undefined ? field : `${field} (${beat.id})`
  const file = beat.html_asset === undefined ? undefined : fileOf(beat.html_asset)
  const bytes = checkSourceSize(
    { file, html: beat.html },
    `composition.${field}.${file ? 'html_asset' : 'html'}`,
  )
  return { name, beat, file, bytes }
}

/** Largest total size of all sources in bytes, because they are kept in memory. */
const maxSourceBytes = 64 * 2 ** 20

/** Throws 6016 if the sources together are too large. A file shared by several particles counts once. */
function checkTotalSize(beats: readonly ScheduledBeat<RequestFile>[]): void {
  const sizes = new Map(beats.map(({ name, file, bytes }) => [file ? `file ${file.file_id}` : name, bytes]))
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (total <= maxSourceBytes) return
  throw new MediaError(6016, 'composition.beats: the particles are larger than 64 MiB together', {
    hint: `${reduceSizeHint} Several beats can share one html_asset.`,
  })
}

interface TimedTrack<F extends RequestFile> {
  readonly index: number
  readonly track: CompositionTrack
  readonly file: F
  /** Requested end in seconds. */
  readonly end: number
  /** Duration of its stream in the file. */
  readonly sourceSeconds: number
}

function placeTrack<F extends RequestFile>(
  track: CompositionTrack,
  { index, fileOf }: BeatPosition<F>,
): TimedTrack<F> {
  const file = fileOf(track.asset)
  const { facts, kind } = file
  const subject = `composition.tracks[${index}].asset: ${file.name}`
  const moving = facts?.video && (facts.video.duration_ms || facts.duration_ms) > 0
  if (track.type === 'video' && (kind !== 'video' || !moving)) {
    throw new MediaError(6014, `${subject} is not a video with moving pictures`, {
      hint: 'Use a video. Show a still picture in a particle: <img src="name">, with its name in assets.file_id.',
    })
  }
  if (track.type === 'audio' && !facts?.audio[0]) {
    throw new MediaError(6014, `${subject} has no sound`, {
      hint: 'Use an audio file or a video with sound.',
    })
  }
  const streamMs = track.type === 'video' ? facts?.video?.duration_ms : facts?.audio[0]?.duration_ms
  const sourceSeconds = (streamMs || (facts?.duration_ms ?? 0)) / 1000
  return { index, track, file, end: track.start + (track.duration ?? sourceSeconds), sourceSeconds }
}

/** Tolerated overlap of tracks in seconds, for times rounded by the caller. */
const overlapTolerance = 1e-3

function checkOverlaps(tracks: readonly TimedTrack<RequestFile>[]): void {
  const sorted = tracks.toSorted((one, other) => one.track.start - other.track.start)
  const last = new Map<string, TimedTrack<RequestFile>>()
  for (const placed of sorted) {
    const layer = `${placed.track.type} ${placed.track.track_index}`
    const before = last.get(layer)
    if (before && before.end > placed.track.start + overlapTolerance) {
      const both = `tracks[${before.index}] and tracks[${placed.index}]`
      throw new MediaError(
        6016,
        `composition: ${both} overlap on the ${placed.track.type} layer ${placed.track.track_index}`,
        {
          hint: 'Give one of them another track_index or a later start, or shorten the earlier one.',
        },
      )
    }
    if (!before || placed.end > before.end) last.set(layer, placed)
  }
}

/** Notes that a result without sound could have the sound of its base video. */
function mutedNotes({ index, track, file }: TimedTrack<RequestFile>): string[] {
  if (!track.muted || file.facts?.audio[0] === undefined) return []
  return [
    `the sound of ${file.name} is not played: set composition.tracks[${index}].muted to false to keep it`,
  ]
}

function createBase<F extends RequestFile>(
  { track, file, end, index }: TimedTrack<F>,
  { rate, frames }: { rate: Rational; frames: number },
): BaseVideo<F> {
  const video = file.facts?.video
  if (!video) throw new MediaError(6014, `composition.tracks[${index}].asset: ${file.name} is not a video`)
  const sourceEnd = track.start + (video.duration_ms || (file.facts?.duration_ms ?? 0)) / 1000
  const shownEnd = Math.min(end, sourceEnd)
  checkBaseComplete(file, shownEnd - track.start, index)
  const startFrame = Math.min(frames, nearestFrame(track.start, rate))
  const endFrame = Math.min(frames, Math.max(startFrame, nearestFrame(shownEnd, rate)))
  return { file, video, startFrame, endFrame, isHeard: !track.muted && file.facts?.audio[0] !== undefined }
}

function checkBaseComplete({ name, facts }: RequestFile, seconds: number, index: number): void {
  const cutOffMs = facts?.cut_off_ms ?? Infinity
  if (seconds * 1000 <= cutOffMs || facts?.container === 'flv') return
  const end = (Math.floor(cutOffMs / 100) / 10).toFixed(1)
  throw new MediaError(
    6021,
    `composition.tracks[${index}].asset: ${name} is cut off, there is no picture after ${end} s`,
    {
      hint: `Export the file again, or give the track a duration of ${end} or less.`,
    },
  )
}

/** Returns a note if the base ends before the result. */
function blackAfterNotes(
  base: BaseVideo<RequestFile> | undefined,
  { rate, frames }: { rate: Rational; frames: number },
): string[] {
  if (!base || base.endFrame >= frames) return []
  const [end, total] = [base.endFrame, frames].map((at) => roundSeconds(frameTime(at, rate)))
  return [`${base.file.name} ends at ${end} s of ${total} s; the rest has a black background`]
}

/** Returns a note if the frames of the base are not shown equally often. */
function otherRateNotes(base: BaseVideo<RequestFile> | undefined, rate: Rational): string[] {
  const own = base ? hertz(base.video.frame_rate) : 0
  if (!base || own === 0) return []
  const factor = hertz(rate) / own
  if (factor >= 1 && Math.abs(factor - Math.round(factor)) < 0.01) return []
  const [ownRate, renderedRate] = [own, hertz(rate)].map((one) => Math.round(one * 100) / 100)
  return [
    `${base.file.name} has ${ownRate} frames per second and the result ${renderedRate}: set composition.fps to ${ownRate} to show each of its frames once`,
  ]
}

/** Returns notes for all tracks of one type except the first, which are not used. */
function unusedTrackNotes([, ...others]: readonly TimedTrack<RequestFile>[]): string[] {
  return others.map(
    ({ index, track }) => `tracks[${index}] is not used, because only the first ${track.type} track is`,
  )
}

/** Returns a note if fields of the first audio track do not apply (contract 2, 8), with the part that plays instead. */
function ignoredFieldNotes(sound: TimedTrack<RequestFile> | undefined, seconds: number): string[] {
  if (!sound) return []
  const { index, track, sourceSeconds } = sound
  const plays = Math.min(sourceSeconds, seconds)
  const ignored = [
    ...(track.start > 0 ? ['start'] : []),
    ...(track.duration === undefined || Math.abs(track.duration - plays) <= overlapTolerance
      ? []
      : ['duration']),
    ...(track.volume === 1 ? [] : ['volume']),
  ]
  if (ignored.length === 0) return []
  const [names, verb] = [ignored.join(', '), ignored.length > 1 ? 'do' : 'does']
  return [
    `tracks[${index}] plays from 0 to ${roundSeconds(plays)} s unchanged: ${names} ${verb} not apply to audio`,
  ]
}

function roundSeconds(seconds: number): number {
  return Math.round(seconds * 100) / 100
}

interface BeatTime {
  /** In seconds. */
  readonly start: number
  readonly duration: number
}

/** Returns the spans of frames that show any particle, in order and disjoint. */
export function coveredFrames(
  beats: readonly BeatTime[],
  { rate, frames }: { rate: Rational; frames: number },
): FrameSpan[] {
  const spans = beats.map((beat) => frameSpan(beat, { fps: rate.num / rate.den, frames }))
  return splitIntoRuns(spans, Infinity)
}

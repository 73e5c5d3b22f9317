import { MediaError } from '../../src/contract/errors.ts'
import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile, RequestFiles, InputOf } from '../../src/contract/operation.ts'
import { frameSpan, type FrameSpan, splitIntoRuns } from '../../src/engines/chromium/frame-spans.ts'
import { exactRate, frameTime, nearestFrame } from '../../src/media/frame-rate.ts'
import { checkSourceSize, reduceSizeHint } from '../../src/media/particle/source-size.ts'
import type { htmlRenderSimple } from './contract.ts'

export type HtmlRenderInput = InputOf<typeof htmlRenderSimple>
type CompositionTrack = HtmlRenderInput['composition']['tracks'][number]
type CompositionBeat = HtmlRenderInput['composition']['beats'][number]

/** The base picture of an mp4, and where it shows. */
interface BaseVideo<F extends RequestFile> {
  readonly file: F
  readonly video: VideoFacts
  readonly startFrame: number
  readonly endFrame: number
  /** Whether its own sound is heard. */
  readonly isHeard: boolean
}

/** A particle whose source is known to be there. */
export interface ScheduledBeat<F extends RequestFile> {
  /** As errors call it. */
  readonly name: string
  readonly beat: CompositionBeat
  /** Where its source is, unless it is in the request. */
  readonly file: F | undefined
  /** Of its source. */
  readonly bytes: number
}

/** What a request comes to, frame by frame. */
export interface Schedule<F extends RequestFile = RequestFile> {
  readonly rate: Rational
  readonly frames: number
  readonly base: BaseVideo<F> | undefined
  /** Whose sound plays from the beginning. */
  readonly sound: F | undefined
  readonly beats: readonly ScheduledBeat<F>[]
  readonly notes: readonly string[]
}

/** Longest result: 6 hours, in seconds. */
const maxSeconds = 6 * 3600

/** Finds out what is shown when. Throws 6014 for files of the wrong kind, 6016 for tracks and lengths that cannot be. */
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
    throw new MediaError(6016, `the result would last ${(seconds / 3600).toFixed(1)} hours; 6 are the most`, {
      hint: 'Give a composition.duration, or shorter tracks and particles.',
    })
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
          ...blackAfterNotes(base, { rate, frames }),
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
  const place = `beats[${index}]`
  const name = beat.id === undefined ? place : `${place} (${beat.id})`
  const file = beat.html_asset === undefined ? undefined : fileOf(beat.html_asset)
  const bytes = checkSourceSize(
    { file, html: beat.html },
    `composition.${place}.${file ? 'html_asset' : 'html'}`,
  )
  return { name, beat, file, bytes }
}

/** Most that the sources of all particles may have together: they are played from memory. */
const maxSourceBytes = 64 * 2 ** 20

/** A file that several particles use is read once. */
function checkTotalSize(beats: readonly ScheduledBeat<RequestFile>[]): void {
  const sizes = new Map(beats.map(({ name, file, bytes }) => [file ? `file ${file.file_id}` : name, bytes]))
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (total <= maxSourceBytes) return
  throw new MediaError(6016, 'composition.beats: the particles have more than 64 MiB together', {
    hint: `${reduceSizeHint} Several beats may use one html_asset.`,
  })
}

interface TimedTrack<F extends RequestFile> {
  readonly index: number
  readonly track: CompositionTrack
  readonly file: F
  /** As the request says, in seconds. */
  readonly end: number
  /** How long its file lasts. */
  readonly sourceSeconds: number
}

function placeTrack<F extends RequestFile>(
  track: CompositionTrack,
  { index, fileOf }: BeatPosition<F>,
): TimedTrack<F> {
  const file = fileOf(track.asset)
  const { facts, kind } = file
  const place = `composition.tracks[${index}].asset: ${file.name}`
  const moving = facts?.video && (facts.video.duration_ms || facts.duration_ms) > 0
  if (track.type === 'video' && (kind !== 'video' || !moving)) {
    throw new MediaError(6014, `${place} is not a video with moving pictures`, {
      hint: 'Give a video; put a still picture into a particle as a data: URI.',
    })
  }
  if (track.type === 'audio' && !facts?.audio[0]) {
    throw new MediaError(6014, `${place} has no sound`, {
      hint: 'Give a file that is heard: audio, or a video with sound.',
    })
  }
  const ofFile = track.type === 'video' ? facts?.video?.duration_ms : facts?.audio[0]?.duration_ms
  const sourceSeconds = (ofFile || (facts?.duration_ms ?? 0)) / 1000
  return { index, track, file, end: track.start + (track.duration ?? sourceSeconds), sourceSeconds }
}

/** Ends that were rounded by the caller may reach this far into what follows, in seconds. */
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
          hint: 'Give one of them another track_index, a later start, or the one before a shorter duration.',
        },
      )
    }
    if (!before || placed.end > before.end) last.set(layer, placed)
  }
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
  const place = (Math.floor(cutOffMs / 100) / 10).toFixed(1)
  throw new MediaError(
    6021,
    `composition.tracks[${index}].asset: ${name} is cut off, there is no picture after ${place} s`,
    {
      hint: `Export the file again, or give the track a duration of ${place} or less.`,
    },
  )
}

/** Says of a base that ends before the rest from when on there is no picture of it, s. */
function blackAfterNotes(
  base: BaseVideo<RequestFile> | undefined,
  { rate, frames }: { rate: Rational; frames: number },
): string[] {
  if (!base || base.endFrame >= frames) return []
  const [ends, all] = [base.endFrame, frames].map((at) => roundSeconds(frameTime(at, rate)))
  return [`${base.file.name} ends at ${ends} s of ${all} s: black is behind the rest`]
}

/** Says of further tracks of a type that they are not used. */
function unusedTrackNotes([, ...others]: readonly TimedTrack<RequestFile>[]): string[] {
  return others.map(
    ({ index, track }) => `tracks[${index}] is not used: only the first ${track.type} track is`,
  )
}

/** Says of the first audio track what was given and does not apply (contract 2, 8), and what plays of it instead. */
function ignoredFieldNotes(sound: TimedTrack<RequestFile> | undefined, seconds: number): string[] {
  if (!sound) return []
  const { index, track, sourceSeconds } = sound
  const plays = Math.min(sourceSeconds, seconds)
  const given = [
    ...(track.start > 0 ? ['start'] : []),
    ...(track.duration === undefined || Math.abs(track.duration - plays) <= overlapTolerance
      ? []
      : ['duration']),
    ...(track.volume === 1 ? [] : ['volume']),
  ]
  if (given.length === 0) return []
  const [names, verb] = [given.join(', '), given.length > 1 ? 'do' : 'does']
  return [
    `tracks[${index}] plays from 0 to ${roundSeconds(plays)} s as it is: ${names} of audio ${verb} not apply`,
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

/** Frames on which any particle shows, as those that are captured: in order and apart. */
export function coveredFrames(
  beats: readonly BeatTime[],
  { rate, frames }: { rate: Rational; frames: number },
): FrameSpan[] {
  const spans = beats.map((beat) => frameSpan(beat, { fps: rate.num / rate.den, frames }))
  return splitIntoRuns(spans, Infinity)
}

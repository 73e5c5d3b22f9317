import type { AgentFile, AgentRequest } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { isRecord } from '../../src/contract/validation.ts'
import { barNotes, numberOf, rateFields, sizeFields } from './output-fields.ts'

/** A clip whose fields may be absent or of a wrong type: it is validated after it is completed. */
type LooseClip = Readonly<Record<string, unknown>>

/** A track whose fields may be absent. */
interface LooseTrack extends Readonly<Record<string, unknown>> {
  readonly track_timeline: readonly LooseClip[]
}

/** Tracks of a call, and whether the call gave them as a plain list of clips. */
interface LooseTracks {
  /** Undefined if they are no lists of tracks: the schema rejects them. */
  readonly tracks: readonly LooseTrack[] | undefined
  readonly isPlainList: boolean
  /** Path of a clip in the call. */
  pathOf(track: number, clip: number): string
}

/** The fields of a timeline from which the others are derived. */
export interface LooseTimeline {
  readonly video_size?: unknown
  readonly video_rate?: unknown
  readonly duration?: unknown
  readonly materials?: unknown
  readonly video: LooseTracks
  readonly audio: LooseTracks
}

/** Reads the tracks of a call in either form. Each sound of `audio` has its own track, as sounds may overlap. */
export function looseTimeline(args: Readonly<Record<string, unknown>>): LooseTimeline {
  const {
    video_size,
    video_rate,
    duration,
    materials,
    clips,
    audio,
    video_track = [],
    audio_track = [],
  } = args
  const whole = (name: string) => (track: number, clip: number) => `${name}[${track}].track_timeline[${clip}]`
  return {
    ...{ video_size, video_rate, duration, materials },
    video: Array.isArray(clips)
      ? {
          tracks: looseTracks([{ track_timeline: clips as unknown[] }]),
          isPlainList: true,
          pathOf: (_track, clip) => `clips[${clip}]`,
        }
      : { tracks: looseTracks(video_track), isPlainList: false, pathOf: whole('video_track') },
    audio: Array.isArray(audio)
      ? {
          tracks: looseTracks(audio.map((one: unknown) => ({ track_timeline: [one] }))),
          isPlainList: true,
          pathOf: (track) => `audio[${track}]`,
        }
      : { tracks: looseTracks(audio_track), isPlainList: false, pathOf: whole('audio_track') },
  }
}

function looseTracks(value: unknown): readonly LooseTrack[] | undefined {
  if (!Array.isArray(value)) return undefined
  const tracks = value.map((track: unknown) => {
    const clips: unknown = isRecord(track) ? track['track_timeline'] : undefined
    if (!isRecord(track) || !Array.isArray(clips) || !clips.every(isRecord)) return undefined
    return { ...track, track_timeline: clips }
  })
  return tracks.some((track) => track === undefined) ? undefined : (tracks as LooseTrack[])
}

/** Files whose facts `completeTimeline` needs: of clips without an end, and of the first picture for size and rate. */
export function filesWithUnknownTimes(timeline: LooseTimeline): readonly string[] {
  const pictures = clipsOf(timeline.video.tracks)
  const first =
    timeline.video_size === undefined || timeline.video_rate === undefined ? pictures.slice(0, 1) : []
  const open = [...pictures, ...clipsOf(timeline.audio.tracks)].filter(
    (clip) => lengthOf(clip) === undefined && clip['clip_ed'] === undefined,
  )
  return [...first, ...open].flatMap(({ material }) =>
    typeof material === 'string' && material !== '' ? [material] : [],
  )
}

function clipsOf(tracks: readonly LooseTrack[] | undefined): readonly LooseClip[] {
  return (tracks ?? []).flatMap(({ track_timeline }) => track_timeline).filter((clip) => !isGap(clip))
}

function isGap({ clip_id, material }: LooseClip): boolean {
  return clip_id === '' && material === undefined
}

/**
 * Completes a timeline: times of clips without them, in order; version, materials, ids, size and rate. Reports what was
 * taken from the files. Values of wrong types remain for the schema. Throws 6016 for a clip that starts after its end.
 */
export function completeTimeline(
  timeline: LooseTimeline,
  files: ReadonlyMap<string, AgentFile>,
): AgentRequest {
  const notes: string[] = []
  const { video, audio } = timeline
  if (!video.tracks || !audio.tracks) {
    const { video: _, audio: _audio, ...others } = timeline
    const fields = Object.entries({ ...others, video_track: video.tracks, audio_track: audio.tracks })
    const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
    return { request: { version: 'v1', audio_track: [], materials: [], ...given }, assumed: [] }
  }
  const pictures = completeTracks(video, { files, notes })
  const end = numberOf(timeline.duration) ?? trackEnd(pictures[0])
  const sounds = completeTracks(audio, { files, notes, end })
  const shown = clipsOf(video.tracks).map(({ material }) => files.get(String(material)))
  const [picture] = shown
  const size = sizeFields(timeline.video_size, picture, notes)
  if (video.isPlainList) notes.push(...barNotes(size.video_size, shown))
  const request = {
    version: 'v1',
    materials: timeline.materials ?? listMaterials([...pictures, ...sounds]),
    ...size,
    ...rateFields(timeline.video_rate, picture, notes),
    video_track: pictures.map((track, index) => ({ track_index: index, ...track })),
    audio_track: sounds.map((track, index) => ({ track_index: index, ...track })),
  }
  return { request, assumed: [...new Set(notes)] }
}

interface CompletionContext {
  readonly files: ReadonlyMap<string, AgentFile>
  readonly notes: string[]
  /** End of the picture, s: sounds without an end stop there. Undefined for pictures. */
  readonly end?: number | undefined
}

function completeTracks(
  { tracks = [], isPlainList, pathOf }: LooseTracks,
  context: CompletionContext,
): readonly LooseTrack[] {
  return tracks.map((track, trackIndex) => {
    let at = 0
    const isMuted = track['muted'] === true
    const clips = track.track_timeline.map((clip, index) => {
      const path = pathOf(trackIndex, index)
      const whole = completeClip(clip, { ...context, at, index, isMuted, isPlainList, path })
      at = numberOf(whole['track_ed']) ?? at
      return whole
    })
    return { ...track, track_timeline: clips }
  })
}

interface ClipContext extends CompletionContext {
  /** End of the previous clip, s. */
  readonly at: number
  readonly index: number
  readonly isMuted: boolean
  /** Whether the clip comes from a plain list, whose defaults are those that viewers expect. */
  readonly isPlainList: boolean
  /** Of the clip in the call. */
  readonly path: string
}

function completeClip(clip: LooseClip, context: ClipContext): LooseClip {
  const start = numberOf(clip['track_st']) ?? context.at
  if (isGap(clip)) {
    const length = lengthOf(clip)
    return length === undefined
      ? clip
      : { track_st: start, track_ed: exact(start + length), duration: length, ...clip }
  }
  const speed = numberOf(clip['speed']) ?? 1
  const from = numberOf(clip['clip_st']) ?? 0
  const length = lengthOf(clip)
  const to =
    numberOf(clip['clip_ed']) ??
    (length === undefined ? fileEnd(clip, { ...context, start, from, speed }) : exact(from + length * speed))
  if (context.isPlainList && to !== undefined && to <= from) {
    throw new MediaError(6016, `${context.path}.clip_ed: ${to} s is not after clip_st, ${from} s`, {
      hint: `Use more than ${from}, or leave clip_ed out for the end of the file.`,
    })
  }
  const duration = length ?? (to === undefined ? undefined : exact((to - from) / speed))
  return {
    ...{ clip_id: `clip-${context.index + 1}`, clip_st: from, track_st: start },
    ...(to !== undefined && { clip_ed: to }),
    ...(duration !== undefined && { duration, track_ed: exact(start + duration) }),
    ...keepPitch(clip, speed, context),
    ...clip,
  }
}

/** Retimed sound of a plain list keeps its pitch unless the call says otherwise; a gtrk timeline has its own default. */
function keepPitch(
  clip: LooseClip,
  speed: number,
  { notes, isMuted, isPlainList }: ClipContext,
): { keep_pitch?: true } {
  if (!isPlainList || clip['keep_pitch'] !== undefined || speed === 1) return {}
  if (clip['muted'] !== true && !isMuted && speed <= 5) {
    notes.push('Retimed sound keeps its pitch; with keep_pitch false, the pitch follows the speed.')
  }
  return { keep_pitch: true }
}

interface FileEndOptions extends ClipContext {
  readonly start: number
  readonly from: number
  readonly speed: number
}

/** Out point of a clip without one, s: the end of its file, or of a sound, the end of the picture if that is earlier. */
function fileEnd(
  { material }: LooseClip,
  { files, notes, end, start, from, speed, path }: FileEndOptions,
): number | undefined {
  const file = files.get(String(material))
  if (!file?.facts) return undefined
  const { facts, name } = file
  const stream = end === undefined ? facts.video : facts.audio[0]
  const streamEnd = stream && stream.duration_ms > 0 ? stream.start_ms + stream.duration_ms : Infinity
  const fileSeconds = Math.min(streamEnd, facts.cut_off_ms ?? Infinity, facts.duration_ms) / 1000
  if (from >= fileSeconds) {
    throw new MediaError(6016, `${path}.clip_st: ${from} s is after the end of ${name}, ${fileSeconds} s`, {
      hint: `Use less than ${fileSeconds}.`,
    })
  }
  const pictureEnd = end === undefined || end <= start ? Infinity : exact(from + (end - start) * speed)
  if (pictureEnd >= fileSeconds) return fileSeconds
  notes.push(`${name} ends at ${exact(end ?? 0)} s, with the picture.`)
  return pictureEnd
}

/** Length on the output that a clip states, s. */
function lengthOf({ duration, track_st, track_ed }: LooseClip): number | undefined {
  const [start, end] = [numberOf(track_st), numberOf(track_ed)]
  return numberOf(duration) ?? (start !== undefined && end !== undefined ? exact(end - start) : undefined)
}

function trackEnd(track: LooseTrack | undefined): number | undefined {
  const ends = (track?.track_timeline ?? []).flatMap(({ track_ed }) => numberOf(track_ed) ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

function listMaterials(tracks: readonly LooseTrack[]): { id: unknown }[] {
  const names = tracks.flatMap(({ track_timeline }) => track_timeline.map(({ material }) => material))
  return [...new Set(names.filter((name) => name !== undefined))].map((id) => ({ id }))
}

/** Rounds a time in seconds to microseconds: sums contain binary rounding errors. */
function exact(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}

import {
  add,
  compare,
  larger,
  magnitude,
  multiply,
  unity,
  rational,
  show,
  subtract,
  type Rational,
  zero,
} from './rational.ts'

/** A media file that a project refers to. */
export interface ReadMedia {
  readonly id: string
  readonly name: string
  /** Decoded from a file URL to a POSIX or Windows path; otherwise as written. */
  readonly path: string
  /** Duration, seconds; null where the format does not state it. */
  readonly seconds: Rational | null
  /** Source timecode of the first frame, seconds; null where the format does not state it. */
  readonly timecodeStart: Rational | null
  readonly dropFrame: boolean
  readonly width: number | null
  readonly height: number | null
  /** Frames a second; null where the format does not state it. */
  readonly rate: Rational | null
  readonly channels: number | null
  /** Hz. */
  readonly sampleRate: number | null
}

/** A part of a media file on a track. */
export interface ReadClip {
  /** Id of its media. */
  readonly media: string
  readonly name: string
  /** In and out points in the media, seconds from its first frame: without its source timecode. */
  readonly from: Rational
  readonly to: Rational
  /** Position on the timeline, seconds from its start. */
  readonly start: Rational
  readonly end: Rational
  readonly speed: Rational
  /** Rectangle of the canvas that the whole picture fills; absent for sound and where sizes are not stated. */
  readonly picture?: ReadRect | undefined
}

/** A rectangle of the canvas, pixels. y grows downwards. */
export interface ReadRect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface PlacedPicture {
  /** Size of the picture in the file, pixels. */
  readonly width: number
  readonly height: number
  /** Pixels of the canvas per pixel of the file. */
  readonly scale: { readonly x: number; readonly y: number }
  /** Offset of its centre from that of the canvas, pixels of the canvas. y grows downwards. */
  readonly offset: { readonly x: number; readonly y: number }
}

interface ReadSize {
  readonly width: number
  readonly height: number
}

/** Returns the rectangle of a picture that is scaled around its centre and moved. */
export function placedRect({ scale, offset, ...size }: PlacedPicture, canvas: ReadSize): ReadRect {
  const [width, height] = [size.width * scale.x, size.height * scale.y]
  return {
    x: canvas.width / 2 + offset.x - width / 2,
    y: canvas.height / 2 + offset.y - height / 2,
    ...{ width, height },
  }
}

/** Returns the scale at which a picture is contained in the canvas. */
export function containedScale(picture: ReadSize, canvas: ReadSize): number {
  return Math.min(canvas.width / picture.width, canvas.height / picture.height)
}

/** A track. Times that no clip covers are gaps. */
export interface ReadTrack {
  readonly kind: 'video' | 'audio'
  readonly clips: readonly ReadClip[]
}

/** A project as an editor would read it. */
export interface ReadProject {
  readonly name: string
  /** Frames a second of the sequence. */
  readonly rate: Rational
  /** Drop-frame timecode in the sequence; false where the format does not state it. */
  readonly dropFrame: boolean
  /** Size of the picture; null where the format does not state it. */
  readonly width: number | null
  readonly height: number | null
  readonly media: readonly ReadMedia[]
  /** Lowest layer first, video before audio. */
  readonly tracks: readonly ReadTrack[]
  /** Parts that are not read, and broken rules that the caller tolerates. */
  readonly skipped: readonly string[]
}

/** A rule that a project file can break. */
export type Rule =
  | 'syntax'
  | 'version'
  | 'missing'
  | 'value'
  | 'unknown'
  | 'order'
  | 'duplicate'
  | 'reference'
  | 'path'
  | 'timecode'
  | 'frames'
  | 'range'
  | 'overlap'
  | 'hole'
  | 'media-end'
  | 'speed'
  | 'sequence-end'
  | 'text-range'

/** A project file breaks a rule of its format. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
  readonly rule: Rule
  readonly where: string

  constructor(rule: Rule, where: string, problem: string) {
    super(`${rule} ${where}: ${problem}`)
    this.rule = rule
    this.where = where
  }
}

export interface ReadOptions {
  /** Broken rules to note in `skipped` and to read past: each the start of a message, such as `overlap audio`. */
  readonly tolerate?: readonly string[]
}

/** Collects what a reader skips and throws at the first broken rule that is not tolerated. */
export class Inspection {
  readonly skipped: string[] = []
  readonly #tolerated: readonly string[]

  constructor({ tolerate = [] }: ReadOptions = {}) {
    this.#tolerated = tolerate
  }

  /** Notes a part that the reader does not read. */
  skip(part: string): void {
    if (!this.skipped.includes(part)) this.skipped.push(part)
  }

  /** Throws a `ProjectError`, or notes it if it is tolerated. */
  broken(rule: Rule, where: string, problem: string): void {
    const error = new ProjectError(rule, where, problem)
    if (!this.#tolerated.some((start) => error.message.startsWith(start))) throw error
    this.skip(error.message)
  }

  /** Reports a broken rule unless the condition is true. */
  require(isMet: boolean, [rule, where, problem]: readonly [Rule, string, string]): void {
    if (!isMet) this.broken(rule, where, problem)
  }
}

/** Checks the tracks of a project: ranges, ends of media, speeds and overlaps. */
export function checkTracks(project: Omit<ReadProject, 'skipped'>, inspection: Inspection): void {
  const media = new Map(project.media.map((file) => [file.id, file]))
  for (const [number, { kind, clips }] of project.tracks.entries()) {
    const track = `${kind} track ${trackNumber(project.tracks, number)}`
    for (const [index, clip] of clips.entries()) {
      const where = `${track} clip ${index + 1} (${clip.name})`
      checkRange(clip, where, inspection)
      checkMedia(clip, { where, file: media.get(clip.media), rate: project.rate }, inspection)
      const before = clips[index - 1]
      if (!before || compare(clip.start, before.end) >= 0) continue
      inspection.broken(
        'overlap',
        where,
        `starts at ${show(clip.start)} s, before ${before.name} ends at ${show(before.end)} s`,
      )
    }
  }
}

/** Returns the number of a track among those of its kind, from 1. */
function trackNumber(tracks: readonly ReadTrack[], index: number): number {
  return tracks.slice(0, index + 1).filter(({ kind }) => kind === tracks[index]?.kind).length
}

function checkRange({ from, to, start, end }: ReadClip, where: string, inspection: Inspection): void {
  inspection.require(compare(start, zero) >= 0, ['range', where, `starts at ${show(start)} s, before 0`])
  inspection.require(compare(from, zero) >= 0, [
    'range',
    where,
    `in point ${show(from)} s is before the media`,
  ])
  inspection.require(compare(end, start) > 0, ['range', where, `ends at ${show(end)} s, not after its start`])
  inspection.require(compare(to, from) > 0, [
    'range',
    where,
    `out point ${show(to)} s is not after the in point`,
  ])
}

/** Checks the part of the media that a clip plays. */
function checkMedia(
  { media, from, to, start, end, speed }: ReadClip,
  { where, file, rate }: { where: string; file: ReadMedia | undefined; rate: Rational },
  inspection: Inspection,
): void {
  if (!file) return inspection.broken('reference', where, `there is no media ${media}`)
  if (file.seconds && compare(to, file.seconds) > 0) {
    inspection.broken('media-end', where, `out point ${show(to)} s, the media has ${show(file.seconds)} s`)
  }
  const plays = multiply(subtract(end, start), speed)
  const difference = magnitude(subtract(subtract(to, from), plays))
  // Less than a frame of the sequence, or the media that passes in one: at other rates the ends are rounded.
  const tolerance = multiply(rational(rate.den, rate.num), larger(unity, speed))
  if (compare(difference, tolerance) < 0) return
  inspection.broken(
    'speed',
    where,
    `plays ${show(subtract(to, from))} s of media in ${show(subtract(end, start))} s, the speed is ${show(speed)}`,
  )
}

/** Returns the end of the last clip, seconds. */
export function endOfTracks(tracks: readonly ReadTrack[]): Rational {
  return tracks
    .flatMap(({ clips }) => clips)
    .map(({ end }) => end)
    .reduce((latest, end) => larger(latest, end), zero)
}

/** Returns whether two times differ by at most a tolerance, seconds. */
export function isNear(a: Rational, b: Rational, tolerance: Rational): boolean {
  return compare(magnitude(subtract(a, b)), tolerance) <= 0
}

/** Returns a + b × c. */
export function addProduct(a: Rational, b: Rational, c: Rational): Rational {
  return add(a, multiply(b, c))
}

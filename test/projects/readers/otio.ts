import { parseProjectJson } from './json.ts'
import { pathOfUrl } from './media-path.ts'
import {
  otioCanvas,
  type OtioClip,
  type OtioRange,
  type OtioReference,
  type OtioTime,
  type OtioTimeline,
  otioTimeline,
  type OtioTrack,
} from './otio-schema.ts'
import {
  addProduct,
  checkTracks,
  Inspection,
  type ReadClip,
  type ReadMedia,
  type ReadOptions,
  type ReadProject,
  type ReadRect,
  type ReadTrack,
} from './read-project.ts'
import {
  add,
  compare,
  divide,
  fromNumber,
  isWholeFrames,
  nearest,
  unity,
  rational,
  type Rational,
  show,
  subtract,
  zero,
} from './rational.ts'

/**
 * Reads an OpenTimelineIO timeline. Throws a `ProjectError` where the schema or a rule is broken. The duration of
 * the source range is the time on the track; a `LinearTimeWarp` says how fast the media passes in it.
 */
export function readOtio(text: string, options?: ReadOptions): ReadProject {
  const timeline = parseProjectJson(text, otioTimeline)
  const inspection = new Inspection(options)
  const canvas = canvasSize(timeline, inspection)
  const reader = new OtioReader({ rate: timelineRate(timeline, inspection), canvas }, inspection)
  const tracks = timeline.tracks.children.map((track, index) =>
    reader.readTrack(track, `tracks/children/${index}`),
  )
  for (const where of ['source_range', 'effects'] as const) {
    const value = timeline.tracks[where]
    if (value && !(Array.isArray(value) && value.length === 0)) inspection.skip(`tracks/${where}`)
  }
  const project = {
    name: timeline.name ?? '',
    rate: reader.rate,
    dropFrame: false,
    width: canvas?.[0] ?? null,
    height: canvas?.[1] ?? null,
    media: [...reader.media.values()],
    tracks,
  }
  checkTracks(project, inspection)
  return { ...project, skipped: inspection.skipped }
}

/** Returns the size of the canvas from our own metadata, which the format does not state otherwise. */
function canvasSize({ metadata }: OtioTimeline, inspection: Inspection): [number, number] | undefined {
  if (metadata?.['reelwright'] === undefined) return undefined
  const parsed = otioCanvas.safeParse(metadata['reelwright'])
  if (!parsed.success)
    inspection.broken('value', 'metadata/reelwright', 'canvas_size is not two whole numbers')
  return parsed.data?.canvas_size
}

/** Returns the rate of the start time, or else of the first range on a track. */
function timelineRate({ global_start_time: start, tracks }: OtioTimeline, inspection: Inspection): Rational {
  if (start) return exactRate(start.rate, 'global_start_time', inspection)
  for (const { OTIO_SCHEMA, ...item } of tracks.children.flatMap(({ children }) => children)) {
    if (OTIO_SCHEMA === 'Transition.1' || !('source_range' in item) || !item.source_range) continue
    return exactRate(item.source_range.duration.rate, 'tracks', inspection)
  }
  inspection.broken('missing', 'tracks', 'no time states the rate')
  return unity
}

/**
 * Returns a rate exactly: an integer, or an integer times 1000/1001 to the precision of a JSON number. Reports a
 * rounded one such as 29.97, with which frames drift.
 */
function exactRate(rate: number, where: string, inspection: Inspection): Rational {
  if (Number.isInteger(rate)) return rational(rate)
  const ntsc = rational(Math.round((rate * 1001) / 1000) * 1000, 1001)
  if (Math.abs(ntsc.num / ntsc.den - rate) < rate * 1e-12) return ntsc
  inspection.broken('frames', where, `rate ${rate} is not exact, such as ${ntsc.num / ntsc.den}`)
  return fromNumber(rate)
}

class OtioReader {
  readonly media = new Map<string, ReadMedia>()
  readonly rate: Rational
  readonly #canvas: [number, number] | undefined
  readonly #inspection: Inspection

  constructor(
    { rate, canvas }: { readonly rate: Rational; readonly canvas: [number, number] | undefined },
    inspection: Inspection,
  ) {
    this.rate = rate
    this.#canvas = canvas
    this.#inspection = inspection
  }

  /** Reads a track: its items follow each other, gaps included. */
  readTrack(track: OtioTrack, path: string): ReadTrack {
    const clips: ReadClip[] = []
    let start = zero
    if (track.source_range) this.#inspection.skip(`${path}/source_range`)
    for (const [index, item] of track.children.entries()) {
      const where = `${path}/children/${index}`
      if (item.OTIO_SCHEMA === 'Transition.1') {
        this.#inspection.skip(`${where}: transition`)
        continue
      }
      const reference = item.OTIO_SCHEMA === 'Gap.1' ? undefined : this.#reference(item, where)
      const range = item.source_range ?? reference?.available_range
      if (!range) {
        this.#inspection.broken('missing', where, 'neither source_range nor available_range')
        continue
      }
      const duration = this.#duration(range, where)
      const end = add(start, duration)
      if (item.OTIO_SCHEMA !== 'Gap.1') clips.push(this.#clip(item, { range, reference, start, end, where }))
      start = end
    }
    return { kind: track.kind === 'Video' ? 'video' : 'audio', clips }
  }

  /** Returns the reference of a clip that is active. */
  #reference(clip: OtioClip, where: string): OtioReference | undefined {
    if (clip.OTIO_SCHEMA === 'Clip.1') return clip.media_reference ?? undefined
    const active = clip.media_references[clip.active_media_reference_key]
    if (!active) {
      this.#inspection.broken('reference', where, `no media reference ${clip.active_media_reference_key}`)
    }
    return active
  }

  #clip(
    clip: OtioClip,
    place: {
      range: OtioRange
      reference: OtioReference | undefined
      start: Rational
      end: Rational
      where: string
    },
  ): ReadClip {
    const { range, reference, start, end, where } = place
    const media = this.#addMedia(reference, clip.name ?? '', where)
    const [warp, ...others] = clip.effects ?? []
    if (others.length > 0) this.#inspection.broken('unknown', where, 'more than one time warp')
    const speed = fromNumber(warp?.time_scalar ?? 1)
    if (speed.num <= 0) this.#inspection.broken('value', where, `time_scalar ${show(speed)} is not positive`)
    const first = this.#seconds(range.start_time, `${where}/start_time`)
    const from = subtract(first, media.timecodeStart ?? zero)
    return {
      media: media.id,
      name: clip.name ?? '',
      from,
      to: addProduct(from, subtract(end, start), speed),
      start,
      end,
      speed,
      picture: this.#picture(reference),
    }
  }

  /** Returns the image bounds of a reference: pixels of the canvas from its centre, y upwards. */
  #picture(reference: OtioReference | undefined): ReadRect | undefined {
    const bounds = reference?.available_image_bounds
    if (!bounds || !this.#canvas) return undefined
    const [width, height] = this.#canvas
    const { min, max } = bounds
    return {
      ...{ x: width / 2 + min.x, y: height / 2 - max.y },
      ...{ width: max.x - min.x, height: max.y - min.y },
    }
  }

  /** Adds the media of a reference. References to the same URL must state the same range. */
  #addMedia(reference: OtioReference | undefined, clipName: string, where: string): ReadMedia {
    const url = reference?.OTIO_SCHEMA === 'ExternalReference.1' ? reference.target_url : ''
    if (reference?.OTIO_SCHEMA !== 'ExternalReference.1') {
      this.#inspection.broken('path', where, 'the clip has no ExternalReference')
    }
    const range = reference?.available_range
    if (!range) this.#inspection.broken('missing', where, 'available_range is missing')
    const name = reference?.name ?? clipName
    const media: ReadMedia = {
      id: url === '' ? `missing: ${name}` : url,
      name,
      path: url === '' ? '' : pathOfUrl(url, where, this.#inspection),
      seconds: range ? this.#duration(range, `${where}/available_range`) : null,
      timecodeStart: range ? this.#seconds(range.start_time, `${where}/available_range`) : null,
      dropFrame: false,
      width: null,
      height: null,
      rate: range ? exactRate(range.duration.rate, where, this.#inspection) : null,
      channels: null,
      sampleRate: null,
    }
    const before = this.media.get(media.id)
    const isSame =
      !before ||
      (sameTime(before.seconds, media.seconds) && sameTime(before.timecodeStart, media.timecodeStart))
    if (!isSame)
      this.#inspection.broken('reference', where, `another clip states another range of ${media.id}`)
    this.media.set(media.id, media)
    return media
  }

  /** Returns the duration of a range, which must be a whole number of frames at its rate and of the timeline. */
  #duration({ duration }: OtioRange, where: string): Rational {
    const seconds = this.#seconds(duration, where)
    if (duration.value < 0) this.#inspection.broken('range', where, `duration ${duration.value} is negative`)
    const isWhole = where.includes('available_range') || isWholeFrames(seconds, this.rate)
    if (isWhole) return seconds
    this.#inspection.broken(
      'frames',
      where,
      `${show(seconds)} s is not a whole number of frames of the timeline`,
    )
    return divide(rational(nearest(divide(seconds, divide(unity, this.rate)))), this.rate)
  }

  /** Returns a time in seconds. Its value must be a whole number of frames. */
  #seconds({ value, rate }: OtioTime, where: string): Rational {
    if (!Number.isInteger(value))
      this.#inspection.broken('frames', where, `value ${value} is not a whole number`)
    return divide(fromNumber(value), exactRate(rate, where, this.#inspection))
  }
}

function sameTime(one: Rational | null, other: Rational | null): boolean {
  return one === null || other === null ? one === other : compare(one, other) === 0
}

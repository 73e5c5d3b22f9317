import type { Rect } from '../geometry.ts'
import { linkFaces } from '../vision/face.ts'

/** Faces in one frame. */
export interface FaceSample {
  /** Time, seconds. */
  readonly seconds: number
  readonly faces: readonly Rect[]
}

/** One person's face in successive samples. */
export interface FaceTrack {
  /** Index of the first sample with the face. */
  readonly first: number
  /** The face in each sample from the first to the last one with it; interpolated where it was not found. */
  readonly boxes: readonly Rect[]
  /** Number of samples in which the face was found. */
  readonly found: number
}

/** Time for which a face may be lost within a track, seconds: it turns away, or a hand passes. */
const maxLostSeconds = 3

/** Time over which a face is expected to continue its motion, and in which a fast one is searched farther away, seconds. */
const maxMotionSeconds = 0.8

/** Least time between two samples whose difference is motion and not inexact detection, seconds. */
const minMotionSeconds = 0.1

/** Largest distance of a face that moves fast from where it was, in widths of the face. */
const maxFastDistance = 2.5

/** Time for which a track may have ended for another one to be the same person at another place, seconds. */
const maxJumpSeconds = 1.5

/** Largest ratio of the widths of such tracks. */
const maxJumpRatio = 1.6

interface OpenTrack {
  readonly found: { readonly index: number; readonly box: Rect }[]
}

/** The same where there is one face and one track only. */
const maxLoneDistance = 12

/**
 * Links faces over time. A face is first searched where its motion leads, then farther away, then near where a track was
 * lost. Tracks are in the order of their first samples.
 */
export function trackFaces(samples: readonly FaceSample[]): FaceTrack[] {
  const tracks: OpenTrack[] = []
  for (const [index, { seconds, faces }] of samples.entries()) {
    const lostFor = (track: OpenTrack) => seconds - lastSeconds(track, samples)
    const open = tracks.filter((track) => lostFor(track) <= maxLostSeconds)
    const moving = open.filter((track) => lostFor(track) <= maxMotionSeconds)
    const links = new LinkedFaces(faces)
    links.link(moving, (track) => expectedBox(track, samples, seconds))
    const isLone = links.unlinked(moving).length === 1 && links.freeFaces.length === 1
    links.link(moving, lastBox, isLone ? maxLoneDistance : maxFastDistance)
    links.link(open, lastBox)
    for (const [box, track] of links.tracks) track.found.push({ index, box })
    for (const { box } of links.freeFaces) tracks.push({ found: [{ index, box }] })
  }
  return joinJumps(tracks, samples).map((track) => closeTrack(track, samples))
}

/** The faces of a sample, and the tracks that they continue. */
class LinkedFaces {
  readonly #faces: readonly { readonly box: Rect }[]
  readonly tracks = new Map<Rect, OpenTrack>()

  constructor(faces: readonly Rect[]) {
    this.#faces = faces.map((box) => ({ box }))
  }

  /** Faces that continue no track. */
  get freeFaces(): readonly { readonly box: Rect }[] {
    return this.#faces.filter(({ box }) => !this.tracks.has(box))
  }

  /** Returns the tracks that no face continues. */
  unlinked(tracks: readonly OpenTrack[]): OpenTrack[] {
    const linked = new Set(this.tracks.values())
    return tracks.filter((track) => !linked.has(track))
  }

  /** Links free faces to free tracks that are expected nearby. */
  link(tracks: readonly OpenTrack[], place: (track: OpenTrack) => Rect, maxDistance?: number): void {
    const expected = this.unlinked(tracks).map((track) => ({ track, box: place(track) }))
    for (const [{ track }, { box }] of linkFaces(expected, this.freeFaces, maxDistance))
      this.tracks.set(box, track)
  }
}

/** Joins tracks to the nearest that ended shortly before, with a face of similar size: a person who moved very fast. */
function joinJumps(tracks: readonly OpenTrack[], samples: readonly FaceSample[]): OpenTrack[] {
  const joined: OpenTrack[] = []
  for (const track of tracks) {
    const first = track.found[0]
    const start = samples[first?.index ?? 0]?.seconds ?? 0
    const before = joined.filter((other) => {
      const gap = start - lastSeconds(other, samples)
      const ratio = lastBox(other).width / Math.max(1, first?.box.width ?? 1)
      return gap > 0 && gap <= maxJumpSeconds && ratio <= maxJumpRatio && ratio >= 1 / maxJumpRatio
    })
    const [nearest] = before.toSorted((one, other) => distanceTo(one, first) - distanceTo(other, first))
    if (nearest) nearest.found.push(...track.found)
    else joined.push({ found: [...track.found] })
  }
  return joined
}

/** Returns the distance of a face from where a track ended, pixels. */
function distanceTo(track: OpenTrack, face: OpenTrack['found'][number] | undefined): number {
  const [from, to] = [centreOf(lastBox(track)), centreOf(face?.box ?? lastBox(track))]
  return Math.hypot(to.x - from.x, to.y - from.y)
}

/** Returns the time at which a face was last found, seconds. */
function lastSeconds({ found }: OpenTrack, samples: readonly FaceSample[]): number {
  return samples[found.at(-1)?.index ?? 0]?.seconds ?? 0
}

function lastBox({ found }: OpenTrack): Rect {
  return found.at(-1)?.box ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** Returns where a face is expected: shortly after it was found twice, it continues its motion; otherwise, it is where it was. */
function expectedBox(track: OpenTrack, samples: readonly FaceSample[], seconds: number): Rect {
  const [before, last] = track.found.slice(-2)
  if (!before || !last) return lastBox(track)
  const [from, to] = [samples[before.index]?.seconds ?? 0, samples[last.index]?.seconds ?? 0]
  if (seconds - to > maxMotionSeconds || to - from > maxMotionSeconds || to - from < minMotionSeconds)
    return last.box
  const steps = (seconds - to) / (to - from)
  const [start, end] = [centreOf(before.box), centreOf(last.box)]
  return { ...last.box, x: last.box.x + steps * (end.x - start.x), y: last.box.y + steps * (end.y - start.y) }
}

function closeTrack({ found }: OpenTrack, samples: readonly FaceSample[]): FaceTrack {
  const first = found[0]?.index ?? 0
  const seconds = (index: number) => samples[index]?.seconds ?? 0
  const boxes = found.flatMap(({ index, box }, at) => {
    const next = found[at + 1]
    if (!next) return [box]
    const span = Math.max(1e-6, seconds(next.index) - seconds(index))
    return Array.from({ length: next.index - index }, (_, step) =>
      betweenRects(box, next.box, (seconds(index + step) - seconds(index)) / span),
    )
  })
  return { first, boxes, found: found.length }
}

/** Returns the centre of a rectangle. */
export function centreOf({ x, y, width, height }: Rect): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 }
}

function betweenRects(from: Rect, to: Rect, share: number): Rect {
  const between = (one: number, other: number) => one + share * (other - one)
  return {
    x: between(from.x, to.x),
    y: between(from.y, to.y),
    width: between(from.width, to.width),
    height: between(from.height, to.height),
  }
}

/**
 * A face counts from this share of the samples or from this time on, whichever is less. For the latter, it must be found in
 * at least this share of the samples of that time: a face that is barely seen is in the background.
 */
const minPresence = { share: 0.3, seconds: 3, foundShare: 0.5 }

/**
 * Least widths of a face that counts: relative to the widest one, and where there are three or more to the second widest,
 * as one person may be close to the camera. Smaller ones are in the background. Found widths vary by a fifth, so that a face
 * of half the width is below both.
 */
const minWidthShare = { widest: 0.45, second: 0.66 }

/** Returns the tracks of people who matter: they are seen for long enough and are not in the background. */
export function importantTracks(tracks: readonly FaceTrack[], samples: readonly FaceSample[]): FaceTrack[] {
  const enough = ({ first, boxes, found }: FaceTrack) => {
    if (found >= minPresence.share * samples.length) return true
    const seconds = (index: number) => samples[index]?.seconds ?? 0
    const isLong = seconds(first + boxes.length - 1) - seconds(first) >= minPresence.seconds
    return isLong && found >= minPresence.foundShare * boxes.length
  }
  const present = tracks.filter(enough)
  const [widest = 0, second = 0] = present.map(medianWidth).toSorted((one, other) => other - one)
  const least = Math.max(minWidthShare.widest * widest, minWidthShare.second * second)
  return present.filter((track) => medianWidth(track) >= least)
}

/** Returns the median width of a face, pixels. */
export function medianWidth({ boxes }: FaceTrack): number {
  const sorted = boxes.map(({ width }) => width).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

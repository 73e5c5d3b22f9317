import type { Rect } from '../geometry.ts'
import { fnv1a } from '../layout/layout.ts'
import type { ClipFraming } from '../timeline/framing.ts'
import type { FramedRange } from './framed-range.ts'

/** Which segments move, and how far. */
export interface CameraMoveOptions {
  readonly enable: boolean
  /** Probability that a segment moves, 0 to 1. */
  readonly probability: number
  /** Change of a move, as a share of the crop, 0 to 0.5. */
  readonly amplitude: number
  /** Most segments that move, as a share of all segments, 0 to 1. */
  readonly maxRatio: number
  /** Hash of the file: with the first frame of a segment it decides about its move, so that attempts agree. */
  readonly seed: string
  /** Frames per second. */
  readonly fps: number
}

type CropFraming = Extract<ClipFraming, { readonly mode: 'crop' }>

/** Shorter segments do not move, seconds: a move that is cut off looks like a fault. */
const minSeconds = 1.2

/** Fastest change of the crop, as a share per second. */
const maxChangePerSecond = 0.08

/** Share of the smaller crop's play over which a pan goes: the rest keeps the subject away from the edges. */
const panShare = 0.8

/**
 * Adds slow moves to segments whose framing is a crop that holds still: a push in, a pull out, or a pan within the crop.
 * All positions are inside of the given crop. Other segments are returned unchanged. Draws are independent; if more
 * segments than `maxRatio` allows are drawn, those with the lowest draws move.
 */
export function addCameraMoves<Segment extends FramedRange>(
  segments: readonly Segment[],
  options: CameraMoveOptions,
): Segment[] {
  const { enable, probability, amplitude, maxRatio, seed, fps } = options
  if (!enable || amplitude <= 0) return [...segments]
  const drawn = segments.flatMap((segment, index) => {
    const seconds = (segment.end - segment.first) / fps
    if (segment.framing.mode !== 'crop' || segment.framing.moveTo || seconds < minSeconds) return []
    const [draw, kind, side] = drawNumbers(`${seed}:${segment.first}`)
    if (draw >= probability) return []
    const change = Math.min(amplitude, maxChangePerSecond * seconds)
    return [{ index, draw, framing: movedFraming(segment.framing, { change, kind, side }) }]
  })
  const most = Math.floor(maxRatio * segments.length + 1e-9)
  const chosen = drawn.toSorted((one, other) => one.draw - other.draw).slice(0, most)
  const moved = new Map(chosen.map(({ index, framing }) => [index, framing]))
  return segments.map((segment, index) => {
    const framing = moved.get(index)
    return framing ? { ...segment, framing } : segment
  })
}

interface MoveDraw {
  /** Share by which the crop becomes smaller. */
  readonly change: number
  /** Random numbers, 0 to 1: the kind of the move, and the direction of a pan. */
  readonly kind: number
  readonly side: number
}

/** Returns the crop with a move; the crop itself if the change is less than a pixel. */
function movedFraming({ crop }: CropFraming, { change, kind, side }: MoveDraw): CropFraming {
  const size = { width: evenSide(crop.width, change), height: evenSide(crop.height, change) }
  if (size.width === crop.width && size.height === crop.height) return { mode: 'crop', crop }
  const play = { x: crop.width - size.width, y: crop.height - size.height }
  const placed = (x: number, y: number): Rect => ({
    x: evenPosition(crop.x, x * play.x),
    y: evenPosition(crop.y, y * play.y),
    ...size,
  })
  if (kind < 0.4) return { mode: 'crop', crop, moveTo: placed(0.5, 0.5) }
  if (kind < 0.7) return { mode: 'crop', crop: placed(0.5, 0.5), moveTo: crop }
  const [from, to] = [(1 - panShare) / 2, (1 + panShare) / 2]
  const [start, end] = side < 0.5 ? [from, to] : [to, from]
  const [crossed, moveTo] = [placed(start, 0.5), placed(end, 0.5)]
  // A small picture may have no room for a pan.
  return crossed.x === moveTo.x ? { mode: 'crop', crop } : { mode: 'crop', crop: crossed, moveTo }
}

/** A side that is smaller by a share, even, at least 2 px, and not longer than the side itself. */
function evenSide(side: number, change: number): number {
  return Math.min(side, Math.max(2, 2 * Math.round((side * (1 - change)) / 2)))
}

/** Even position at an offset, rounded down so that it stays inside. */
function evenPosition(from: number, offset: number): number {
  return from + 2 * Math.floor(offset / 2)
}

/** Three numbers from 0 to 1 that depend on a text only (mulberry32 on FNV-1a). */
function drawNumbers(text: string): [number, number, number] {
  let state = fnv1a(text)
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return [next(), next(), next()]
}

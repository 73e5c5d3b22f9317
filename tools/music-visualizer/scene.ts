import type { Canvas, Drawing, Pen } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import type { AudioProfile } from '../../src/media/audio/survey.ts'
import type { Palette } from './palette.ts'
import type { Rect } from '../../src/media/geometry.ts'

/** Everything that stays the same through a result. Lengths of a template are shares of `unit`. */
export interface Scene {
  readonly drawing: Drawing
  readonly width: number
  readonly height: number
  /** The shorter side. */
  readonly unit: number
  /** What is read keeps this far from every edge. */
  readonly margin: number
  readonly palette: Palette
  readonly title: string
  readonly artist: string
  readonly seconds: number
  readonly profile: AudioProfile
  /** Square: the cover, or a drawing in its place. */
  readonly cover: Canvas
}

/** How a background that moves with the music is shown. */
export interface BeatEffect {
  /** How much larger than the frame, about its middle; 1 at least. */
  readonly zoom: number
  /** How far red is moved to the left, green and blue to the right; pixels. */
  readonly channelShift: number
}

/** A field of the request whose line had to be cut where it stands. */
export type TruncatedField = 'track' | 'artist'

/** How one template draws a scene. */
export interface Template {
  /** All that moves lies in here. */
  readonly region: Rect
  /** Whether the scene's cover is seen. */
  readonly showsCover?: boolean
  /** Draws what stands still, title and artist among it; answers which of them were cut. */
  drawStill(pen: Pen): readonly TruncatedField[]
  /** Draws what moves over that. */
  drawMoving(pen: Pen, moment: AudioFeatures): void
  /** Draws on the built-in background, for templates that need more of it than a gradient. */
  drawOrnament?(pen: Pen): void
  /** For templates that move the background itself: what stands still is drawn over all then. */
  readonly beatEffect?: {
    /** The farthest that colours ever part, pixels. */
    readonly apart: number
    at(moment: AudioFeatures): BeatEffect
  }
}

export type CreateTemplate = (scene: Scene) => Template

/** The part of a box that lies in the result, its edges moved outwards to even pixels, as 4:2:0 wants them. */
export function clampToFrame({ width, height }: Pick<Scene, 'width' | 'height'>, box: Rect): Rect {
  const x = roundToEven(Math.min(width - 2, Math.max(0, Math.floor(box.x))), 'down')
  const y = roundToEven(Math.min(height - 2, Math.max(0, Math.floor(box.y))), 'down')
  return {
    x,
    y,
    width: roundToEven(Math.max(2, Math.min(width, Math.ceil(box.x + box.width)) - x), 'up'),
    height: roundToEven(Math.max(2, Math.min(height, Math.ceil(box.y + box.height)) - y), 'up'),
  }
}

function roundToEven(value: number, to: 'up' | 'down'): number {
  return value % 2 === 0 ? value : to === 'up' ? value + 1 : value - 1
}

/** A box around a point. */
export function rectAround(
  x: number,
  y: number,
  { across, down = across }: { across: number; down?: number },
): Rect {
  return { x: x - across, y: y - down, width: 2 * across, height: 2 * down }
}

/** Whether a result is clearly wider than high, with room beside what is in its middle. */
export function isWide({ width, height }: Pick<Scene, 'width' | 'height'>): boolean {
  return width >= 1.25 * height
}

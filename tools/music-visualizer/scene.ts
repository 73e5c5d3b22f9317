import {
  applyTextStyle,
  type Canvas,
  type Drawing,
  fitLine,
  isRightToLeft,
  type Pen,
  textLanguage,
  type TextStyle,
} from '../../src/engines/canvas/drawing.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import type { AudioProfile } from '../../src/media/audio/audio-profile.ts'
import type { Rect } from '../../src/media/geometry.ts'
import type { Palette } from './palette.ts'

/** Everything that is constant during a video. Templates express lengths as shares of `unit`. */
export interface Scene {
  readonly drawing: Drawing
  readonly width: number
  readonly height: number
  /** Shorter side of the video, px. */
  readonly unit: number
  /** Least distance of text from the edges, px. */
  readonly margin: number
  readonly palette: Palette
  readonly title: string
  readonly artist: string
  readonly seconds: number
  readonly profile: AudioProfile
  /** Square cover, or the placeholder. */
  readonly cover: Canvas
}

/** Effect of the music on the background in one frame. */
interface BeatEffect {
  /** Scale relative to the frame, about its centre; at least 1. */
  readonly zoom: number
  /** Pixels by which red moves to the left, and green and blue to the right. */
  readonly channelShift: number
}

/** A field of the request whose text was truncated. */
export type TruncatedField = 'track' | 'artist'

/** How one template draws a scene. */
export interface Template {
  /** Area that contains everything that moves. */
  readonly region: Rect
  /** Whether the template shows the cover. */
  readonly showsCover?: boolean
  /** Draws the still parts, including title and artist. Returns the truncated ones. */
  drawStill(pen: Pen): readonly TruncatedField[]
  /** Draws the moving parts of one frame over the still ones. */
  drawMoving(pen: Pen, moment: AudioFeatures): void
  /** Decorates the built-in background. */
  drawOrnament?(pen: Pen): void
  /** For templates that move the background; the still parts are then drawn over everything. */
  readonly beatEffect?: {
    /** Largest channel shift, pixels. */
    readonly maxShift: number
    at(moment: AudioFeatures): BeatEffect
  }
}

export type CreateTemplate = (scene: Scene) => Template

/** Clips a rectangle to the frame and rounds its edges outwards to even pixels, as 4:2:0 requires. */
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

/** Returns the rectangle around a centre. */
export function rectAround(
  x: number,
  y: number,
  { across, down = across }: { across: number; down?: number },
): Rect {
  return { x: x - across, y: y - down, width: 2 * across, height: 2 * down }
}

/** Whether a video is at least 1.25 times as wide as high, with room beside a centred drawing. */
export function isWide({ width, height }: Pick<Scene, 'width' | 'height'>): boolean {
  return width >= 1.25 * height
}

/** Position of a line of text: anchor, baseline and largest width. */
interface LinePosition {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly align: 'left' | 'center' | 'right'
}

/** Font and colour of a line of text. */
interface LineStyle extends TextStyle {
  readonly colour: string
}

/** Whites that are readable on any picture. */
export const textColours = {
  strong: 'rgba(255,255,255,0.97)',
  soft: 'rgba(255,255,255,0.68)',
  faint: 'rgba(255,255,255,0.16)',
}

/** A line that is too long is first scaled down to this share, then truncated. */
const minFontShare = 0.72

/** Draws one line fitted to its width. Returns false if it was truncated. */
export function drawSceneText(
  pen: Pen,
  line: string,
  { style, place }: { style: LineStyle; place: LinePosition },
): boolean {
  if (line === '') return true
  pen.save()
  pen.direction = isRightToLeft(line) ? 'rtl' : 'ltr'
  pen.lang = textLanguage(line)
  pen.textBaseline = 'alphabetic'
  pen.textAlign = place.align
  pen.fillStyle = style.colour
  applyTextStyle(pen, style)
  const full = pen.measureText(line).width
  const share = Math.max(minFontShare, Math.min(1, place.width / full))
  if (share < 1) applyTextStyle(pen, { ...style, size: style.size * share })
  const fitted = fitLine(line, place.width, (text) => pen.measureText(text).width)
  pen.fillText(fitted, place.x, place.y)
  pen.restore()
  return fitted === line
}

/** Height from the title's baseline to the artist's, as a share of the title's size. */
const artistLeading = 0.86

/** Draws title and artist, or the one that is known. size: of the title. Returns the truncated fields. */
export function drawTitle(
  pen: Pen,
  scene: Scene,
  { size, ...place }: LinePosition & { readonly size: number },
): TruncatedField[] {
  pen.save()
  // The shadow keeps text readable on bright pictures.
  pen.shadowColor = 'rgba(0,0,0,0.45)'
  pen.shadowBlur = size * 0.35
  pen.shadowOffsetY = size * 0.03
  const title = drawSceneText(pen, scene.title, {
    style: { size, weight: 700, colour: textColours.strong },
    place,
  })
  const y = scene.title === '' ? place.y : place.y + size * artistLeading
  const artist = drawSceneText(pen, scene.artist, {
    style: { size: size * 0.54, weight: 400, colour: textColours.soft },
    place: { ...place, y },
  })
  pen.restore()
  return [...(title ? [] : (['track'] as const)), ...(artist ? [] : (['artist'] as const))]
}

/** Formats seconds as 3:07 or 1:02:09. */
function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Labels of elapsed, remaining and total time; elapsed and remaining always add up to the total. */
export function timeLabels(scene: Scene, moment: number): { passed: string; left: string; all: string } {
  const all = Math.max(1, Math.round(scene.seconds))
  // The tolerance keeps rounding errors from showing the previous second.
  const passed = Math.min(all, Math.floor(moment + 1e-6))
  return { passed: formatClock(passed), left: `−${formatClock(all - passed)}`, all: formatClock(all) }
}

import type { Pen } from '../../src/engines/canvas/load.ts'
import { fitLine, isRightToLeft, languageOf, setType, type Type } from '../../src/engines/canvas/text.ts'
import type { TruncatedField, Scene } from './scene.ts'

/** Where a line stands: its baseline, and the widest it may become. */
export interface LinePosition {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly align: 'left' | 'center' | 'right'
}

/** How a line looks. */
export interface LineStyle extends Type {
  readonly colour: string
}

/** White that rests on any picture. */
export const textColours = {
  strong: 'rgba(255,255,255,0.97)',
  soft: 'rgba(255,255,255,0.68)',
  faint: 'rgba(255,255,255,0.16)',
}

/** A line that is too long first becomes smaller, down to this share, then shorter. */
const minFontShare = 0.72

/** Draws one line, fitted to its place. Tells whether all of it is there. */
export function drawTextLine(
  pen: Pen,
  line: string,
  { look, place }: { look: LineStyle; place: LinePosition },
): boolean {
  if (line === '') return true
  pen.save()
  pen.direction = isRightToLeft(line) ? 'rtl' : 'ltr'
  pen.lang = languageOf(line)
  pen.textBaseline = 'alphabetic'
  pen.textAlign = place.align
  pen.fillStyle = look.colour
  setType(pen, look)
  const full = pen.measureText(line).width
  const share = Math.max(minFontShare, Math.min(1, place.width / full))
  if (share < 1) setType(pen, { ...look, size: look.size * share })
  const fitted = fitLine(line, place.width, (text) => pen.measureText(text).width)
  pen.fillText(fitted, place.x, place.y)
  pen.restore()
  return fitted === line
}

/** Height from the title's baseline to the artist's, as a share of the title's size. */
const artistLeading = 0.86

/** Draws title and artist; where only one of them is known it stands alone. `size` is the title's. Answers what was cut. */
export function drawTitle(
  pen: Pen,
  scene: Scene,
  { size, ...place }: LinePosition & { readonly size: number },
): TruncatedField[] {
  pen.save()
  // Rests on pictures of any brightness.
  pen.shadowColor = 'rgba(0,0,0,0.45)'
  pen.shadowBlur = size * 0.35
  pen.shadowOffsetY = size * 0.03
  const title = drawTextLine(pen, scene.title, {
    look: { size, weight: 700, colour: textColours.strong },
    place,
  })
  const y = scene.title === '' ? place.y : place.y + size * artistLeading
  const artist = drawTextLine(pen, scene.artist, {
    look: { size: size * 0.54, weight: 400, colour: textColours.soft },
    place: { ...place, y },
  })
  pen.restore()
  return [...(title ? [] : (['track'] as const)), ...(artist ? [] : (['artist'] as const))]
}

/** Seconds as a clock shows them: 3:07, 1:02:09. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** What has passed and what is left at a moment; together they are always the whole. */
export function timeLabels(scene: Scene, moment: number): { passed: string; left: string; all: string } {
  const all = Math.max(1, Math.round(scene.seconds))
  // A frame that lies on a second shows it, whatever its rounding.
  const passed = Math.min(all, Math.floor(moment + 1e-6))
  return { passed: formatClock(passed), left: `−${formatClock(all - passed)}`, all: formatClock(all) }
}

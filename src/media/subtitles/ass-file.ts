import type { Size } from '../geometry.ts'
import type { AssStyle } from './style-presets.ts'
import { assTime } from './times.ts'
import { escapeText } from './tokens.ts'

/** A dialogue event. */
export interface AssEvent {
  /** Ms. */
  readonly start: number
  readonly end: number
  /** Name of the style. */
  readonly style: string
  /** Text in the syntax of ASS, with tags. */
  readonly text: string
  /** Distance from the lower edge in pixels; that of the style by default. */
  readonly marginY?: number
}

/** Fields of a style, in the order of `assStyleValues`. */
export const assStyleFields = [
  ...[
    'Name',
    'Fontname',
    'Fontsize',
    'PrimaryColour',
    'SecondaryColour',
    'OutlineColour',
    'BackColour',
    'Bold',
  ],
  ...['Italic', 'Underline', 'StrikeOut', 'ScaleX', 'ScaleY', 'Spacing', 'Angle', 'BorderStyle', 'Outline'],
  ...['Shadow', 'Alignment', 'MarginL', 'MarginR', 'MarginV', 'Encoding'],
]

/** Formats an ASS file whose script resolution is the size of its canvas, in pixels. */
export function assFile({
  canvas,
  styles,
  events,
}: {
  readonly canvas: Size
  readonly styles: readonly AssStyle[]
  readonly events: readonly AssEvent[]
}): string {
  return [
    '[Script Info]',
    'ScriptType: v4.00+',
    `PlayResX: ${canvas.width}`,
    `PlayResY: ${canvas.height}`,
    // Lines are wrapped already. On a machine with wider fonts they are wrapped again instead of cut off.
    'WrapStyle: 0',
    'ScaledBorderAndShadow: yes',
    'YCbCr Matrix: None',
    '',
    '[V4+ Styles]',
    `Format: ${assStyleFields.join(', ')}`,
    ...styles.map((style) => `Style: ${assStyleValues(style).join(',')}`),
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...events.map(assEventLine),
    '',
  ].join('\n')
}

/** Returns the values of a style's fields. */
export function assStyleValues(style: AssStyle): string[] {
  const fill = assColour({ colour: style.fill, opacity: 1 })
  const lower = 2
  return [
    ...[
      style.name,
      style.family,
      twoDecimals(style.size),
      fill,
      fill,
      assColour(style.edge),
      assColour(style.back),
    ],
    ...[style.bold ? -1 : 0, 0, 0, 0, 100, 100, twoDecimals(style.spacing), 0],
    ...[style.box ? 3 : 1, twoDecimals(style.outline), twoDecimals(style.shadow), lower],
    ...[style.marginX, style.marginX, style.marginY, 1],
  ].map(String)
}

function assEventLine({ start, end, style, text, marginY = 0 }: AssEvent): string {
  return `Dialogue: 0,${assTime(start)},${assTime(end)},${style},,0,0,${Math.round(marginY)},,${text}`
}

const twoDecimals = (value: number) => Number(value.toFixed(2))

/** Returns `&HAABBGGRR`, in which alpha 0 is opaque. */
function assColour({ colour, opacity }: { readonly colour: string; readonly opacity: number }): string {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(colour) ?? []
  const clear = Math.round(255 * (1 - opacity))
    .toString(16)
    .padStart(2, '0')
  return `&H${`${clear}${blue}${green}${red}`.toUpperCase()}`
}

/** A cue in two languages. */
interface BilingualCue {
  readonly start: number
  readonly end: number
  readonly translation: readonly string[]
  readonly original: readonly string[]
}

/** Font size of the original relative to its translation. */
export const originalScale = 0.68

/**
 * Returns events for a translation and its original, one above the other for any number of lines. The lower block has
 * the margin of its style; the upper block is placed directly above it.
 */
export function bilingualEvents(
  { start, end, translation, original }: BilingualCue,
  styles: { readonly translation: AssStyle; readonly original: AssStyle },
  place: 'above' | 'below' = 'above',
): AssEvent[] {
  const translated = { style: styles.translation, lines: translation }
  const spoken = { style: styles.original, lines: original }
  const [upper, lower] = place === 'above' ? [translated, spoken] : [spoken, translated]
  const marginY = marginAbove(lower.style, lower.lines.length, upper.style)
  return [
    { ...languageEvent(lower), marginY: lower.style.marginY },
    { ...languageEvent(upper), marginY: lower.lines.length === 0 ? lower.style.marginY : marginY },
  ]
    .filter(({ text }) => text !== '')
    .map((event) => ({ start, end, ...event }))
}

/** Returns the distance of a block from the lower edge that is directly above another one with so many lines, pixels. */
export function marginAbove(lower: AssStyle, lines: number, upper: AssStyle): number {
  return lower.marginY + blockHeight(lower, lines) + blockGap(upper, lower)
}

function languageEvent({ style, lines }: { readonly style: AssStyle; readonly lines: readonly string[] }) {
  return { style: style.name, text: escapeText(lines.join('\n'), 'ass') }
}

/** Height of a block in pixels: libass draws lines as high as their Fontsize. */
const blockHeight = ({ size }: AssStyle, lines: number) => lines * size

/** Distance between two blocks in pixels, including their boxes. */
function blockGap(upper: AssStyle, lower: AssStyle): number {
  return lower.em / 8 + (upper.box ? upper.outline + lower.outline : 0)
}

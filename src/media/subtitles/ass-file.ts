import type { AssStyle, Canvas } from './style-presets.ts'
import { assTime } from './times.ts'
import { escapeText } from './tokens.ts'

/** A line that is shown. */
export interface AssEvent {
  /** Ms. */
  readonly start: number
  readonly end: number
  /** Name of its style. */
  readonly style: string
  /** As ASS writes it, tags and all. */
  readonly text: string
  /** Px from the lower edge, where it is not the style's. */
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

/** An ASS file whose px are those of its canvas. */
export function assFile({
  canvas,
  styles,
  events,
}: {
  readonly canvas: Canvas
  readonly styles: readonly AssStyle[]
  readonly events: readonly AssEvent[]
}): string {
  return [
    '[Script Info]',
    'ScriptType: v4.00+',
    `PlayResX: ${canvas.width}`,
    `PlayResY: ${canvas.height}`,
    // Lines are broken already; on a machine with wider fonts they are broken once more, rather than cut off.
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

/** A style as an ASS file holds it, field by field. */
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

/** `&HAABBGGRR`; of ASS 0 is opaque. */
function assColour({ colour, opacity }: { readonly colour: string; readonly opacity: number }): string {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(colour) ?? []
  const clear = Math.round(255 * (1 - opacity))
    .toString(16)
    .padStart(2, '0')
  return `&H${`${clear}${blue}${green}${red}`.toUpperCase()}`
}

/** What is shown in two languages at once. */
interface BilingualCue {
  readonly start: number
  readonly end: number
  readonly translation: readonly string[]
  readonly original: readonly string[]
}

/** Size of the original beside its translation. */
export const originalScale = 0.68

/**
 * A translation and its original as two lines of ASS, one above the other whatever the number of their lines: the
 * lower one stands as its style says, the upper one right above it.
 */
export function bilingualEvents(
  { start, end, translation, original }: BilingualCue,
  styles: { readonly translation: AssStyle; readonly original: AssStyle },
  place: 'above' | 'below' = 'above',
): AssEvent[] {
  const translated = { style: styles.translation, lines: translation }
  const spoken = { style: styles.original, lines: original }
  const [upper, lower] = place === 'above' ? [translated, spoken] : [spoken, translated]
  const marginY =
    lower.style.marginY + blockHeight(lower.style, lower.lines.length) + blockGap(upper.style, lower.style)
  return [
    { ...languageEvent(lower), marginY: lower.style.marginY },
    { ...languageEvent(upper), marginY: lower.lines.length === 0 ? lower.style.marginY : marginY },
  ]
    .filter(({ text }) => text !== '')
    .map((event) => ({ start, end, ...event }))
}

function languageEvent({ style, lines }: { readonly style: AssStyle; readonly lines: readonly string[] }) {
  return { style: style.name, text: escapeText(lines.join('\n'), 'ass') }
}

/** A line of ASS is as high as its Fontsize says. */
const blockHeight = ({ size }: AssStyle, lines: number) => lines * size

/** Between two blocks: a little, and room for both boxes, where they have such. */
function blockGap(upper: AssStyle, lower: AssStyle): number {
  return lower.em / 8 + (upper.box ? upper.outline + lower.outline : 0)
}

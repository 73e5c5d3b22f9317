import type { LetterColourName, SubtitleStyleName } from '../../contract/subtitle-styles.ts'
import type { Size } from '../geometry.ts'
import { fontSize, type Typeface } from './text-width.ts'
import type { LineLimit } from './wrap.ts'

/** Letter colours by name; undefined keeps the colour of the style. */
const letterColours: Readonly<Record<LetterColourName, string | undefined>> = {
  雅黑: undefined,
  淡绿: '#98fb98',
  森林绿: '#34b24a',
  湖蓝: '#30d5f2',
  道奇蓝: '#1e90ff',
  钢蓝: '#6ea6d8',
  浅粉红: '#ffb6c1',
  深橙: '#ff8c00',
  珊瑚橙: '#ff7f50',
  橙红: '#ff4500',
  土豪金: '#f0c75e',
}

/** A colour, `#rrggbb`, and its opacity, 0 to 1. */
interface Paint {
  readonly colour: string
  readonly opacity: number
}

/** Values of a preset; lengths in ems. */
interface StylePreset {
  readonly bold: boolean
  readonly fill: string
  readonly edge: Paint
  readonly back: Paint
  readonly box?: true
  readonly spacing?: number
  readonly outline: number
  readonly shadow: number
}

const black = (opacity: number): Paint => ({ colour: '#000000', opacity })

/** Values of all presets. */
const stylePresets: Readonly<Record<SubtitleStyleName, StylePreset>> = {
  default: { bold: false, fill: '#ffffff', edge: black(0.9), back: black(0.45), outline: 0.05, shadow: 0.03 },
  outline: { bold: true, fill: '#ffffff', edge: black(1), back: black(0), outline: 0.095, shadow: 0 },
  cinema_yellow: {
    ...{ bold: false, fill: '#ffe14d', edge: black(0.95), back: black(0.5) },
    ...{ outline: 0.045, shadow: 0.04 },
  },
  immersive_box: {
    ...{ bold: false, fill: '#ffffff', edge: black(0.5), back: black(0), box: true },
    ...{ outline: 0.24, shadow: 0 },
  },
  wide_spacing: {
    ...{ bold: false, fill: '#ffffff', edge: black(0.85), back: black(0.4) },
    ...{ spacing: 0.14, outline: 0.045, shadow: 0.025 },
  },
  deep_shadow: {
    bold: true,
    fill: '#ffffff',
    edge: black(0.6),
    back: black(0.75),
    outline: 0.025,
    shadow: 0.1,
  },
  boxed: {
    ...{
      bold: false,
      fill: '#ffffff',
      edge: { colour: '#101014', opacity: 0.92 },
      back: black(0),
      box: true,
    },
    ...{ outline: 0.16, shadow: 0 },
  },
}

/** A style of ASS; lengths in pixels of the canvas. */
export interface AssStyle {
  readonly name: string
  readonly family: string
  readonly bold: boolean
  /** Fontsize of ASS, and the em that results from it. */
  readonly size: number
  readonly em: number
  readonly spacing: number
  /** Letter colour, `#rrggbb`; the edge and the background also have an opacity. */
  readonly fill: string
  readonly edge: Paint
  readonly back: Paint
  /** Whether a box is drawn around the line instead of an edge. */
  readonly box: boolean
  readonly outline: number
  readonly shadow: number
  readonly marginX: number
  readonly marginY: number
  /** Maximum line width. Lines of a scaled style may be as long as those of the preset. */
  readonly lineWidth: number
}

/** Ems of a full line, and its maximum share of the canvas width, by the aspect ratio. */
function lineShape({ width, height }: Size): { ems: number; share: number } {
  const shape = width / height
  if (shape >= 1.3) return { ems: 22, share: 0.9 }
  return shape <= 0.8 ? { ems: 13, share: 0.86 } : { ems: 17, share: 0.9 }
}

/** Returns the em of a preset in pixels: 5.4 % of the height, or less if a full line would not fit the width. */
function presetEm(canvas: Size, { spacing = 0, outline, shadow }: StylePreset): number {
  const { ems, share } = lineShape(canvas)
  return Math.min(
    0.054 * canvas.height,
    (share * canvas.width) / (ems * (1 + spacing) + 2 * outline + shadow),
  )
}

interface PresetStyleOptions {
  readonly preset: SubtitleStyleName
  readonly colour: LetterColourName
  readonly canvas: Size
  readonly typeface: Typeface
  readonly name: string
  /** Scale of the font size; 1 by default. */
  readonly scale?: number
}

/** Returns the style of a preset for a canvas. */
export function presetStyle({
  preset,
  colour,
  canvas,
  typeface,
  name,
  scale = 1,
}: PresetStyleOptions): AssStyle {
  const style = stylePresets[preset]
  const usual = presetEm(canvas, style)
  const em = usual * scale
  const { share } = lineShape(canvas)
  return {
    ...{ name, family: typeface.family, bold: style.bold, size: fontSize(typeface, em), em },
    ...{
      fill: letterColours[colour] ?? style.fill,
      edge: style.edge,
      back: style.back,
      box: style.box ?? false,
    },
    spacing: em * (style.spacing ?? 0),
    lineWidth: 1.001 * lineShape(canvas).ems * usual * (1 + (style.spacing ?? 0)),
    outline: em * style.outline,
    shadow: em * style.shadow,
    marginX: Math.floor((canvas.width * (1 - share)) / 2),
    marginY: Math.round(canvas.height * (canvas.height > 1.2 * canvas.width ? 0.12 : 0.06)),
  }
}

/** Pixels that libass adds on each side when it rounds the edges of boxes and letters. */
const libassRounding = 2

/** Returns the maximum line width of a style in pixels, so that edges, boxes and shadows stay within the margins. */
export function lineLimit(style: AssStyle, canvas: Size, typeface: Typeface): LineLimit {
  const { em, spacing, outline, shadow, marginX, lineWidth } = style
  const most = canvas.width - 2 * (marginX + outline + shadow + libassRounding)
  const measure = (text: string) => typeface.measure(text, style.bold) * em + spacing * [...text].length
  return { width: Math.min(most, lineWidth), measure }
}

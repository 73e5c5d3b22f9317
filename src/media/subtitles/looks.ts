/** How subtitles look; the names are the contract's. */
export const presetNames = [
  'default',
  'outline',
  'cinema_yellow',
  'immersive_box',
  'wide_spacing',
  'deep_shadow',
  'boxed',
] as const
export type PresetName = (typeof presetNames)[number]

/** Colours of the letters, by the contract's names; 雅黑 is the preset's own: light letters, black around them. */
export const letterColours = {
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
} as const
export type LetterColour = keyof typeof letterColours

/** A colour, `#rrggbb`, and how opaque it is, 0 to 1. */
export interface Paint {
  readonly colour: string
  readonly opacity: number
}

/** A preset's own; lengths in ems. */
export interface StylePreset {
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

/** The looks of the presets. */
export const stylePresets: Readonly<Record<PresetName, StylePreset>> = {
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

/** Names of the subtitle styles (contract 3, 4.10). */
export const subtitleStyleNames = [
  'default',
  'outline',
  'cinema_yellow',
  'immersive_box',
  'wide_spacing',
  'deep_shadow',
  'boxed',
] as const
export type SubtitleStyleName = (typeof subtitleStyleNames)[number]

/** Names of the letter colours (contract 3, 4.10). 雅黑 is the colour of the style. */
export const letterColourNames = [
  '雅黑',
  '淡绿',
  '森林绿',
  '湖蓝',
  '道奇蓝',
  '钢蓝',
  '浅粉红',
  '深橙',
  '珊瑚橙',
  '橙红',
  '土豪金',
] as const
export type LetterColourName = (typeof letterColourNames)[number]

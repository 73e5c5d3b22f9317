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

/** English names of the letter colours, which MCP tools publish. */
export const englishColourNames: Readonly<Record<LetterColourName, string>> = {
  雅黑: 'style_colour',
  淡绿: 'pale_green',
  森林绿: 'forest_green',
  湖蓝: 'lake_blue',
  道奇蓝: 'dodger_blue',
  钢蓝: 'steel_blue',
  浅粉红: 'light_pink',
  深橙: 'dark_orange',
  珊瑚橙: 'coral',
  橙红: 'orange_red',
  土豪金: 'gold',
}

/** Letter colours by further English names; a colour that none of them is, such as purple, has no name here. */
export const letterColoursByName: Readonly<Record<string, LetterColourName>> = {
  orange: '深橙',
  pink: '浅粉红',
  green: '森林绿',
  'light green': '淡绿',
  blue: '道奇蓝',
  'sky blue': '湖蓝',
  'light blue': '湖蓝',
  yellow: '土豪金',
  golden: '土豪金',
  'coral orange': '珊瑚橙',
  'style color': '雅黑',
  default: '雅黑',
}

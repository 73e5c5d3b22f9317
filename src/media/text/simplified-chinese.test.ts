import { expect, test } from 'vitest'
import { areMostlyChinese, isSimplifiedChinese } from './simplified-chinese.ts'

test.each([
  '黄昏的港口停泊着几艘渔船，光线柔和。',
  '一台 MacBook Pro 和一部 iPhone 放在 Starbucks 的木桌上。',
  '东京街头的ソニー招牌，夜晚，霓虹灯闪烁。',
  '首尔夜景，招牌上写着서울，行人撑着伞走过。',
  '新疆的Gül在集市上卖水果。',
])('simplified Chinese: %s', (text) => {
  expect(isSimplifiedChinese(text)).toBe(true)
})

test.each([
  ['Japanese', '夕暮れの港に停泊する漁船'],
  ['Japanese with many Han characters', '東京駅前広場の夜景'],
  ['Japanese without Hiragana', '夜景、ネオンサイン、高層ビル、東京'],
  ['Japanese in narrow Katakana', '夜景ﾈｵﾝ東京ﾋﾞﾙ'],
  ['Korean', '해 질 녘 항구에 정박한 어선'],
  ['Korean with Han characters', '서울 夜景 거리 風景'],
  ['English', 'Fishing boats in a harbour at dusk.'],
  ['English with a name in Han characters', 'A fishing boat in the harbour of 上海 at dusk.'],
  ['traditional Chinese', '這裡的碼頭邊停著幾艘漁船，遠處還見燈塔與雲層。'],
  ['nothing', ''],
  ['signs', '12:30 …'],
])('%s is no simplified Chinese', (_, text) => {
  expect(isSimplifiedChinese(text)).toBe(false)
})

test.each<[boolean, readonly string[]]>([
  [true, ['港口', '照片', 'iPhone']],
  [true, ['Logo设计', '夜景', 'Shanghai', '4K', '城市']],
  [false, ['港口', 'boat', 'dusk', '渔船']],
  [false, ['boat', 'dusk', 'harbour']],
  [false, ['夕暮れ', '漁船の港', '港口']],
  [false, []],
])('mostly Chinese: %s, %j', (expected, tags) => {
  expect(areMostlyChinese(tags)).toBe(expected)
})

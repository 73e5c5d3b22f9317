import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparableUnits } from './comparable-units.ts'

const unitsOf = (text: string) =>
  comparableUnits(text)
    .map((unit) => unit.text)
    .join(' ')

it.each([
  ['mr smith', 'Mr. Smith|mister Smith|MR SMITH'],
  ['dr lee vs mrs day', 'Dr. Lee vs. Mrs. Day|doctor lee versus missus day|Dr Lee vs Mrs Day'],
  ['salt oil etc', 'salt, oil, etc.|salt oil etcetera'],
])('equals abbreviations and their words: %s', (units, texts) => {
  const found = texts.split('|').map((text) => [text, unitsOf(text)])
  expect(found).toEqual(found.map(([text]) => [text, units]))
})

describe('units of numbers', () => {
  it.each([
    ['2 0 1 4', '2014|二〇一四|二零一四|两千零一十四|二千十四|twenty fourteen|two thousand and fourteen'],
    ['2 0 1 4', '２０１４|two thousand fourteen|twenty-fourteen|이천십사|deux mille quatorze|2,014'],
    ['2 0 1 4 年', '2014年|二千十四年|两千零一十四年'],
    ['2 0 1 4 년', '2014년|이천십사년|이천 십사 년'],
    ['1 9 0 5', '1905|nineteen oh five|nineteen hundred five|一九〇五'],
    [
      '1 3 £ 6 0',
      '£13.60|thirteen pounds sixty|thirteen pounds and sixty pence|13.60英镑|thirteen point six pounds',
    ],
    ['5 $ 0 6', '$5.06|five dollars six cents|five dollars and six cents'],
    ['3 ¥ 5 0', '3.5元|三块五|¥3.50|三块五毛|三点五元'],
    ['1 0 0 ¥', '100円|百円|¥100'],
    ['gpt 4', 'GPT-4|GPT 4|gpt四|gpt4|G P T four|G.P.T. 4'],
    ['usa', 'U.S.A.|USA|U S A'],
    [
      '5 0 %',
      '50%|百分之五十|fifty percent|fifty per cent|cinquante pour cent|五十パーセント|오십 퍼센트|50％',
    ],
    ['3 . 5', '3.5|3,5|三点五|three point five|trois virgule cinq|삼점오'],
    ['1 . 2 . 3', '1.2.3|one point two point three'],
    ['9 0', '90|quatre-vingt-dix|nonante|ninety|九十|구십|아흔'],
    ['9 7', '97|quatre-vingt-dix-sept|ninety-seven|구십칠'],
    ['7 1', '71|soixante et onze|seventy-one|septante et un'],
    ['1 0 5', '105|一百零五|a hundred and five|cent cinq|백오'],
    ['1 5 0', '150|一百五|one hundred fifty|cent cinquante'],
    ['2 5 0 0 0', '25000|两万五|2.5万|twenty-five thousand'],
    [
      '3 5 0 0 0 0 0',
      '3.5 million|3500000|three point five million|350万|三百五十万|trois millions cinq cent mille',
    ],
    ['3 5 0 0 0 0 0 0 0', '3亿5000万|三亿五千万|350,000,000'],
    ['3 may', '3rd May|third May|3 May'],
    ['2 0 1 4 年 5 月 3 日', '2014-05-03|2014/5/3|二〇一四年五月三日'],
  ])('%s: %s', (units, texts) => {
    const found = texts.split('|').map((text) => [text, unitsOf(text)])
    expect(found).toEqual(found.map(([text]) => [text, units]))
  })

  it('are their digits, however they are written', () => {
    const hundreds = ['', '一百', '二百', '三百', '四百', '五百', '六百', '七百', '八百', '九百']
    const ones = ['', ...'一二三四五六七八九']
    const [ten, hundred] = [
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(
        ' ',
      ),
      ' twenty thirty forty fifty sixty seventy eighty ninety'.split(' '),
    ]
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999_999 }), (value) => {
        expect(unitsOf(String(value))).toBe([...String(value)].join(' '))
        expect(unitsOf(value.toLocaleString('en-US'))).toBe([...String(value)].join(' '))
        if (value > 999 || value % 100 < 20) return
        const [high, middle, low] = [...String(value)].map(Number) as [number, number, number]
        const chinese = `${hundreds[high]}${ones[middle]}十${ones[low]}`
        const english = `${ten[high]} hundred ${hundred[middle - 1]} ${low > 0 ? ten[low] : ''}`
        expect([unitsOf(chinese), unitsOf(english)]).toEqual(Array(2).fill([...String(value)].join(' ')))
      }),
    )
  })

  it('said twice are two numbers', () => {
    expect(unitsOf('two thousand two thousand fourteen')).toBe('2 0 0 0 2 0 1 4')
    expect(unitsOf('两千两千零一十四')).toBe('2 0 0 0 2 0 1 4')
  })
})

describe('units of other texts', () => {
  it.each([
    ['It’s ＯＫ, “really”!', 'its ok really'],
    ['我用iPhone写。', '我 用 iphone 写'],
    ['カﾞラス、ﾃｽﾄ', 'ガ ラ ス テ ス ト'],
    ['사이 조사 이번 오늘 이사', '사이 조사 이번 오늘 이사'],
    ['I I think so', 'i i think so'],
    ['100 € — $', '1 0 0 €'],
    ['……', ''],
  ])('%s', (text, units) => expect(unitsOf(text)).toBe(units))

  it('are one for each word or character, with its place', () => {
    const word = fc.constantFrom(
      'the',
      'Cat',
      'l’homme',
      'ÉTÉ',
      '안녕하세요',
      '天',
      '気',
      'です',
      'ИЮНЬ',
      'İz',
    )
    const gap = fc.constantFrom(' ', ', ', '。', '… ', ' — ', '\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap)), (parts) => {
        const text = parts.flat().join('')
        const expected = parts.flatMap(([one]) => (one === 'です' ? ['で', 'す'] : [one]))
        const found = comparableUnits(text).map(({ from, to }) => text.slice(from, to))
        expect(found).toEqual(expected)
      }),
    )
  })

  it('have ranges in order for any text; units of one range are of one number', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3 }),
      fc.constantFrom(
        ...'百 千 万 一 两 点 twenty hundred point £ 5 3.5 cent et four vingt 이천 십 % 元 and a U. S.'.split(
          ' ',
        ),
      ),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.constantFrom('', ' '), (parts, separator) => {
        const text = parts.join(separator)
        let before = { from: 0, to: 0 }
        for (const { text: unit, from, to } of comparableUnits(text)) {
          expect(unit).not.toBe('')
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(text.length)
          expect(from >= before.to || (from === before.from && to === before.to)).toBe(true)
          before = { from, to }
        }
      }),
      { numRuns: 500 },
    )
  })
})

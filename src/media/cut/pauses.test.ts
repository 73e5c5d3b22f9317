import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  adaptiveFactors,
  adaptRhythm,
  breakClass,
  breakClasses,
  effectiveRhythm,
  normalizeBreaks,
  pauseProfile,
  rhythmPresets,
  rhythmTable,
  targetPause,
  type BreakClass,
  type GivenRhythm,
  type MeasuredPause,
} from './pauses.ts'

const seconds = fc.double({ min: 0, max: 5, noNaN: true })
const someBreaks = fc.dictionary(fc.constantFrom<BreakClass>(...breakClasses), seconds)
const someRhythm: fc.Arbitrary<GivenRhythm> = fc.record(
  {
    rhythm_preset: fc.constantFrom(...rhythmPresets),
    punctuation_breaks: someBreaks,
    intra_gap_max: seconds,
    intra_gap_target: seconds,
    pad_in: seconds,
    pad_out: seconds,
  },
  { requiredKeys: [] },
)

describe('the class of a pause', () => {
  it.each([
    ['', null],
    [' ', null],
    ['」', null],
    ['-', null],
    ['、', '、'],
    ['，', ','],
    [', ', ','],
    ['；', ';'],
    ['：', ':'],
    [' : ', ':'],
    ['——', '—'],
    [' – ', '—'],
    [' - ', '—'],
    ['.', '。'],
    ['．', '。'],
    ['。」', '。'],
    ['." ', '。'],
    ['！', '!'],
    ['?!', '?'],
    ['!?', '?'],
    ['⁉', '?'],
    ['！。', '!'],
    ['…', '……'],
    ['……', '……'],
    ['⋯⋯', '……'],
    ['...', '……'],
    ['。。。', '……'],
    ['...?', '……'],
    ['，——', '—'],
    ['。\n', 'paragraph'],
    ['\r\n\r\n', 'paragraph'],
    [',\u2028', 'paragraph'],
  ])('of %j is %j', (text, expected) => {
    expect(breakClass(text)).toBe(expected)
  })

  it('is that of the longest pause, with the pauses of the request', () => {
    const { breaks } = effectiveRhythm({ punctuation_breaks: { '!': 2, ',': 3 } })
    expect(breakClass('?!', breaks)).toBe('!')
    expect(breakClass('!,', breaks)).toBe(',')
  })

  it('is that of each key itself', () => {
    for (const key of breakClasses) expect(breakClass(key === 'paragraph' ? '\n' : key)).toBe(key)
  })
})

describe('keys of punctuation_breaks', () => {
  it('have several spellings', () => {
    const given = { '，': 1, '；': 2, '：': 3, '.': 4, '！': 5, '？': 0, '…': 0.1, '——': 0.2, '､': 0.3 }
    expect(normalizeBreaks(given)).toEqual({
      ...{ ',': 1, ';': 2, ':': 3, '。': 4, '!': 5, '?': 0, '……': 0.1, '—': 0.2, '、': 0.3 },
    })
    expect(normalizeBreaks({ '.': 1, '。': 1 })).toEqual({ '。': 1 })
  })

  it('may not contradict each other', () => {
    expect(() => normalizeBreaks({ ',': 0.1, '，': 0.2 })).toThrow(
      'punctuation_breaks: "," is 0.1 and "，" is 0.2, but both are the key ","',
    )
  })

  it.each([
    '',
    ' ',
    'comma',
    'a,',
    ', ',
    '?!',
    '\n',
    '-',
    '(',
    '0',
    'constructor',
    '__proto__',
    'paragraphs',
  ])('do not include %j', (key) => {
    const given = JSON.parse(`{${JSON.stringify(key)}: 1}`) as Record<string, number>
    expect(() => normalizeBreaks(given)).toThrow(
      expect.objectContaining({ code: 6016, hint: expect.stringContaining('"paragraph"') as string }),
    )
  })
})

describe('the rhythm of a request', () => {
  it('is the table of the contract without given values', () => {
    expect(effectiveRhythm({})).toEqual(rhythmTable.default)
    for (const name of rhythmPresets)
      expect(effectiveRhythm({ rhythm_preset: name })).toEqual(rhythmTable[name])
    expect(rhythmTable.concise).toMatchObject({
      intraGapMax: 0.35,
      intraGapTarget: 0.1,
      padIn: 0.05,
      padOut: 0.08,
    })
    expect(Object.values(rhythmTable.steady.breaks)).toEqual([
      ...[0.18, 0.25, 0.36, 0.45, 0.55, 0.55, 0.55, 0.6, 0.75, 1.2],
    ])
    expect(rhythmTable.compact.breaks).toMatchObject({ '—': 0.18, '。': 0.18, '!': 0.18, paragraph: 0.4 })
  })

  it('consists of given values and those of the preset, with a target below the maximum', () => {
    fc.assert(
      fc.property(someRhythm, (given) => {
        const base = rhythmTable[given.rhythm_preset ?? 'default']
        const max = given.intra_gap_max ?? base.intraGapMax
        const target = given.intra_gap_target ?? base.intraGapTarget
        if (target >= max) {
          expect(() => effectiveRhythm(given)).toThrow(expect.objectContaining({ code: 6016 }))
          return
        }
        expect(effectiveRhythm(given)).toEqual({
          breaks: { ...base.breaks, ...given.punctuation_breaks },
          ...{ intraGapMax: max, intraGapTarget: target },
          ...{ padIn: given.pad_in ?? base.padIn, padOut: given.pad_out ?? base.padOut },
        })
      }),
    )
  })

  it('names both values and their origin if the target is not below the maximum', () => {
    expect(() => effectiveRhythm({ rhythm_preset: 'compact', intra_gap_target: 0.3 })).toThrow(
      'intra_gap_target 0.3 (given) is not less than intra_gap_max 0.25 (of rhythm_preset compact)',
    )
    expect(() => effectiveRhythm({ intra_gap_max: 0.1 })).toThrow(
      'intra_gap_target 0.1 (the default) is not less than intra_gap_max 0.1 (given)',
    )
    expect(() => effectiveRhythm({ intra_gap_max: 0, intra_gap_target: 0 })).toThrow(
      expect.objectContaining({ hint: 'Set intra_gap_max above 0, and intra_gap_target below it.' }),
    )
  })
})

const repeat = (key: BreakClass | null, value: number, count: number): MeasuredPause[] =>
  Array.from({ length: count }, () => ({ class: key, seconds: value }))

describe('the profile of a speaker', () => {
  it('has median, third quartile and number of each class', () => {
    const pauses = [0.4, 0.1, 0.3, 0.2].map((value) => ({ class: ',' as const, seconds: value }))
    expect(pauseProfile([...pauses, ...repeat(null, 0.5, 1)])).toEqual({
      ',': { median: 0.25, p75: expect.closeTo(0.325, 9) as number, n: 4 },
      intra: { median: 0.5, p75: 0.5, n: 1 },
    })
    expect(pauseProfile([])).toEqual({})
  })

  it('is the same in any order, and between the extremes', () => {
    const pause = fc.record({ class: fc.constantFrom(...breakClasses, null), seconds })
    fc.assert(
      fc.property(fc.array(pause), (pauses) => {
        const profile = pauseProfile(pauses)
        expect(pauseProfile(pauses.toReversed())).toEqual(profile)
        expect(Object.values(profile).reduce((sum, { n }) => sum + n, 0)).toBe(pauses.length)
        for (const { median, p75 } of Object.values(profile)) {
          expect(median).toBeLessThanOrEqual(p75)
          expect(p75).toBeLessThanOrEqual(Math.max(...pauses.map((each) => each.seconds)))
        }
      }),
    )
  })
})

describe('the adaptive rhythm', () => {
  const options = { factor: 1, given: {}, speechSeconds: 60 }
  const profile = pauseProfile([
    ...[...repeat(',', 0.3, 6), ...repeat('。', 3, 5), ...repeat('?', 0.7, 4), ...repeat(null, 0.16, 9)],
  ])

  it('is the median of the speaker, from half to twice the table, where 5 pauses show it', () => {
    const adapted = adaptRhythm(rhythmTable.default, profile, options)
    expect(adapted?.breaks).toEqual({ ...rhythmTable.default.breaks, ',': 0.3, '。': 0.9 })
    expect(adapted?.intraGapTarget).toBe(0.16)
    const compact = adaptRhythm(rhythmTable.compact, profile, { ...options, factor: adaptiveFactors.compact })
    expect(compact?.breaks).toMatchObject({ ',': 0.15, '。': 0.36 })
  })

  it('keeps given values, in any spelling', () => {
    const given = { punctuation_breaks: { '，': 0.11 }, intra_gap_target: 0.12 }
    const adapted = adaptRhythm(effectiveRhythm(given), profile, { ...options, given })
    expect(adapted).toMatchObject({ intraGapTarget: 0.12, breaks: { ',': 0.11, '。': 0.9 } })
  })

  it('needs 60 s of speech and 12 pauses', () => {
    expect(adaptRhythm(rhythmTable.default, profile, { ...options, speechSeconds: 59.9 })).toBeNull()
    const few = pauseProfile(repeat(',', 0.3, 11))
    expect(adaptRhythm(rhythmTable.default, few, options)).toBeNull()
    expect(adaptRhythm(rhythmTable.default, pauseProfile(repeat(',', 0.3, 12)), options)).not.toBeNull()
  })

  it('stays within its bounds for any profile and request', () => {
    const pause = fc.record({ class: fc.constantFrom(...breakClasses, null), seconds })
    const factor = fc.constantFrom(...Object.values(adaptiveFactors))
    fc.assert(
      fc.property(
        someRhythm,
        fc.array(pause, { minLength: 12, maxLength: 90 }),
        factor,
        (given, pauses, by) => {
          fc.pre((given.intra_gap_target ?? 0.05) < (given.intra_gap_max ?? 0.25))
          const fitting = (given.intra_gap_max ?? 1) > 0.15 ? given : { ...given, intra_gap_target: 0 }
          fc.pre((fitting.intra_gap_max ?? 1) > 0)
          const rhythm = effectiveRhythm(fitting)
          const adapted = adaptRhythm(rhythm, pauseProfile(pauses), {
            factor: by,
            given: fitting,
            speechSeconds: 61,
          })
          expect(adapted?.intraGapTarget).toBeLessThan(rhythm.intraGapMax)
          expect(adapted).toMatchObject({
            padIn: rhythm.padIn,
            padOut: rhythm.padOut,
            intraGapMax: rhythm.intraGapMax,
          })
          for (const key of breakClasses) {
            const ratio = (adapted?.breaks[key] ?? 0) / rhythm.breaks[key]
            if (given.punctuation_breaks?.[key] !== undefined || rhythm.breaks[key] === 0)
              expect(adapted?.breaks[key]).toBe(rhythm.breaks[key])
            else expect(ratio >= 0.5 - 1e-9 && ratio <= 2 + 1e-9).toBe(true)
          }
        },
      ),
    )
  })
})

describe('the wanted pause', () => {
  const rhythm = rhythmTable.default

  it('is that of the punctuation, or within a sentence shortened if it is long', () => {
    expect(targetPause({ class: '?', measured: 9, rhythm })).toBe(0.5)
    expect(targetPause({ class: null, measured: 0.35, rhythm })).toBe(0.35)
    expect(targetPause({ class: null, measured: 0.36, rhythm })).toBe(0.1)
  })
})

import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { newPicture } from '../../../src/engines/ffmpeg/raster.ts'
import { burnFrame } from '../../../src/engines/subtitles/burn.ts'
import { typefaceFor } from '../../../src/engines/subtitles/typefaces.ts'
import type { Bounds, Size } from '../../../src/media/geometry.ts'
import { safeArea } from '../../../src/media/subtitles/burned-style.ts'
import { type BurnedCue, burnedSubtitles } from '../../../src/media/subtitles/burned-subtitles.ts'
import { estimatedTypeface, estimateWidth, type Typeface } from '../../../src/media/subtitles/text-width.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'

const shapes = {
  '9:16': { width: 1080, height: 1920 },
  '1:1': { width: 1080, height: 1080 },
  '16:9': { width: 1920, height: 1080 },
} as const

const grey = 128
let folder: string
const typefaces = new Map<string, Typeface>()
beforeAll(async () => {
  folder = await scratchFolder()
  for (const language of ['en-US', 'zh-CN', 'ja-JP', 'ko-KR'])
    typefaces.set(language, await typefaceFor(language, { scratch: folder }))
})

function typeface(language: string): Typeface {
  return typefaces.get(language) ?? estimatedTypeface('Arial')
}

/** Draws subtitles over grey, and returns the box of all changed pixels. */
async function inkAt(canvas: Size, ass: string, atMs: number): Promise<Bounds | undefined> {
  const picture = newPicture(canvas.width, canvas.height, [grey, grey, grey])
  const own = await mkdtemp(join(folder, 'burn-'))
  const pixels = await burnFrame(picture, { ass, folder: own, atMs, signal: undefined })
  const box = { left: Infinity, top: Infinity, right: 0, bottom: 0 }
  for (let at = 0; at < pixels.length; at += 1) {
    if (Math.abs((pixels[at] ?? grey) - grey) <= 3) continue
    const pixel = Math.floor(at / 3)
    const [x, y] = [pixel % canvas.width, Math.floor(pixel / canvas.width)]
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x + 1)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y + 1)
  }
  return box.right > 0 ? box : undefined
}

interface Case {
  readonly language: string
  readonly text: string
  readonly translation?: { readonly language: string; readonly text: string }
}

const cases: Readonly<Record<string, Case>> = {
  English: { language: 'en-US', text: 'The quickest way to learn is to explain it to someone else' },
  Chinese: { language: 'zh-CN', text: '最快的学习方法就是把它讲给别人听，你会发现自己哪里不懂' },
  Japanese: { language: 'ja-JP', text: '学ぶための一番の近道は、それを誰かに説明してみることです' },
  Korean: { language: 'ko-KR', text: '가장 빨리 배우는 방법은 다른 사람에게 설명해 보는 것입니다' },
  'long words': {
    language: 'en-US',
    text: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft incomprehensibilities',
  },
  'wide letters': { language: 'en-US', text: 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW' },
  emoji: { language: 'en-US', text: 'Great 🎉🎉 work 👩‍👩‍👧‍👦 team 🇯🇵 — keep going 👍🏽👍🏽👍🏽' },
  tags: { language: 'en-US', text: String.raw`{\an7\pos(0,0)\fs200}Big {\b0} \N\n\h \ {` },
  'line breaks': { language: 'en-US', text: 'one\ntwo\r\nthree\n\nfour\u2028five' },
  'a translation': {
    language: 'en-US',
    text: 'The quickest way to learn is to explain it to someone else',
    translation: {
      language: 'zh-CN',
      text: '最快的学习方法就是把它讲给别人听，你会发现自己哪里不懂，然后再学一遍',
    },
  },
}

function burned(canvas: Size, { language, text, translation }: Case): string {
  const cue: BurnedCue = {
    start: 0,
    end: 4000,
    lines: text.split('\n'),
    ...(translation && { translation: translation.text }),
  }
  return burnedSubtitles([cue], {
    ...{ canvas, typeface: typeface(language) },
    ...(translation && { translationTypeface: typeface(translation.language) }),
    highlights: [{ text: 'explain', start: 0, end: 4000 }],
  })
}

/** Each case in each shape. A third of them has each case once, and each shape. */
const pairs = Object.entries(cases).flatMap(([name, one]) =>
  Object.entries(shapes).map(([shape, canvas]) => ({ name, one, shape, canvas })),
)

it.each(sampleCases(pairs, pairs.length / 3))(
  'burned subtitles of $name in $shape stay in the safe area',
  async ({ one, canvas }) => {
    const area = safeArea(canvas)
    const ass = burned(canvas, one)
    for (const atMs of sampleCases([1900, 100, 3900], 1)) {
      const ink = await inkAt(canvas, ass, atMs)
      if (!ink) throw new Error(`nothing is drawn at ${atMs} ms`)
      expect(ink.left).toBeGreaterThanOrEqual(area.left)
      expect(ink.right).toBeLessThanOrEqual(area.right)
      expect(ink.bottom).toBeLessThanOrEqual(area.bottom)
      // At most two lines of each language, in the lower part of the safe area.
      expect(ink.top).toBeGreaterThan(area.top + 0.4 * (area.bottom - area.top))
      const middle = (ink.left + ink.right) / 2
      expect(Math.abs(middle - canvas.width / 2)).toBeLessThan(canvas.width * 0.02)
    }
  },
)

it('the safe area of a vertical picture is clear of the lower fifth and of 8 % at the sides', () => {
  const { width, height } = shapes['9:16']
  const { left, right, bottom } = safeArea(shapes['9:16'])
  expect(left / width).toBeCloseTo(0.08)
  expect(right / width).toBeCloseTo(0.92)
  expect(bottom / height).toBeCloseTo(0.8)
})

describe('the file of burned subtitles', () => {
  const canvas = shapes['9:16']
  const events = (ass: string) =>
    ass.split('\n').flatMap((line) => {
      const [, start, end, style, text] =
        /^Dialogue: 0,([^,]+),([^,]+),([^,]+),(?:[^,]*,){5}(.*)$/.exec(line) ?? []
      return text === undefined ? [] : [{ start, end, style, text }]
    })

  it.each([
    ['9:16', 13],
    ['1:1', 16],
    ['16:9', 20],
  ] as const)('of %s has %i full-width letters on a line', (shape, letters) => {
    const cue = { start: 0, end: 4000, lines: ['学'.repeat(letters)] }
    const exact = { ...estimatedTypeface('Arial'), measure: estimateWidth }
    for (const scale of [1, 0.5, 0.25]) {
      const { width, height } = shapes[shape]
      const smaller = { width: width * scale, height: height * scale }
      const ass = burnedSubtitles([cue], { canvas: smaller, typeface: exact })
      expect(events(ass).map(({ text }) => text)).toEqual(cue.lines)
    }
  })

  it('divides lines at punctuation that is not shown', () => {
    const cue = {
      ...{ start: 0, end: 4000, lines: ['四十年过去了，', '登机牌还在我的钱包里。'] },
      translation: 'Forty years later, the pass is in my wallet.',
    }
    const ass = burnedSubtitles([cue], { canvas, typeface: estimatedTypeface('Arial'), strip: true })
    const texts = events(ass).map(({ text }) => text)
    expect(texts).toContain(String.raw`四十年过去了\N登机牌还在我的钱包里`)
    expect(texts.join('')).not.toMatch(/[.,，。]/)
  })

  it('highlights whole words, in their case, while they are said', () => {
    const cue = { start: 0, end: 4000, lines: ['Explain an explanation, then explain it'] }
    const options = { canvas, typeface: estimatedTypeface('Arial') }
    const highlights = [
      { text: 'explain', start: 100, end: 900 },
      { text: 'then', start: 5000, end: 6000 },
    ]
    const text = events(burnedSubtitles([cue], { ...options, highlights }))
      .map((event) => event.text)
      .join(' ')
    expect(text.match(/\{\\1c&H4dd8ff&\}Explain\{\\r\}/gi)).not.toBeNull()
    expect(text).not.toMatch(/\}explanation|\}then/)
    const chinese = [{ start: 0, end: 4000, lines: ['用AI做一部短片'] }]
    const said = [{ text: 'AI', start: 0, end: 100 }]
    expect(events(burnedSubtitles(chinese, { ...options, highlights: said }))[0]?.text).toContain('}AI{')
  })

  it('keeps the lines of the shorter language while the longer one has several pages', () => {
    const long = Array.from({ length: 40 }, (_, index) => `translated${index}`).join(' ')
    for (const [text, translation] of [
      ['Short', long],
      [long, 'Short'],
    ] as const) {
      const cue = { start: 0, end: 9000, lines: [text], translation }
      const found = events(burnedSubtitles([cue], { canvas, typeface: estimatedTypeface('Arial') }))
      expect(found.length).toBeGreaterThan(4)
      expect(found.filter((event) => event.text === 'Short')).toEqual([
        expect.objectContaining({ start: '0:00:00.00', end: '0:00:09.00' }),
      ])
    }
  })

  it('has at most two lines at a time, all of the text, and times in order within those of its cue', () => {
    const words = fc.array(
      fc.constantFrom('a', 'word', 'antidisestablishmentarianism', '学习', '{\\b1}', '👍'),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    const cue = fc.record({
      words,
      start: fc.nat(1e6),
      length: fc.integer({ min: 100, max: 8000 }),
      translated: fc.option(words),
    })
    const options = { canvas, typeface: estimatedTypeface('Arial') }
    fc.assert(
      fc.property(cue, ({ words: said, start, length, translated }) => {
        const end = start + length
        const translation = translated ? { translation: translated.join(' ') } : {}
        const found = events(
          burnedSubtitles([{ start, end, lines: [said.join(' ')], ...translation }], options),
        )
        const plain = (text: string) => text.replaceAll(/\\N|[\s\u2060\\]/g, '')
        for (const [kind, whole] of [
          ['original', said],
          ['translation', translated ?? []],
        ] as const) {
          const own = found.filter(({ style }) => style?.startsWith(kind))
          expect(own.map(({ text }) => plain(text)).join('')).toBe(plain(whole.join(' ')))
          for (const { text } of own) expect(text.split('\\N').length).toBeLessThanOrEqual(2)
          expect(own.every((event, index) => index === 0 || event.start === own[index - 1]?.end)).toBe(true)
        }
        // Text is never a tag: each brace that opens is escaped.
        for (const { text } of found) expect(text.replaceAll('\\{', '')).not.toContain('{')
      }),
      { numRuns: soakSize(100, 300) },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subtitleStyleNames } from '../../contract/subtitle-styles.ts'
import { readSubtitles } from '../subtitles/read.ts'
import { estimatedTypeface } from '../subtitles/text-width.ts'
import { plainText } from '../subtitles/tokens.ts'
import {
  bilingualDubSrt,
  type BurnedDubOptions,
  dubAss,
  type SubtitledLine,
  dubSrt,
} from './dub-subtitles.ts'

const english =
  'When the glue has dried overnight, sand every edge until it feels like paper, then wipe off the dust with a damp ' +
  'cloth and add two coats of oil before you mount the shelf.'
const chinese =
  '胶水干了一夜以后，把每条边打磨到像纸一样光滑，用湿布擦掉灰尘，然后上两层油，再把架子装到墙上。'
const thai = 'เมื่อกาวแห้งข้ามคืนแล้ว ให้ขัดทุกขอบจนเรียบเหมือนกระดาษ จากนั้นเช็ดฝุ่นออกด้วยผ้าชุบน้ำ แล้วทาน้ำมันสองชั้น'

const line = (text: string, start: number, end: number, source = 'So.'): SubtitledLine => ({
  text,
  source,
  start,
  end,
})
const read = (srt: string) =>
  readSubtitles(Buffer.from(srt), { format: 'srt', language: 'en-US' }).entries.map(
    ({ start, end, text }) => ({
      ...{ start, end },
      lines: plainText(text, 'srt').split('\n'),
    }),
  )

const entriesOf = (ass: string) =>
  readSubtitles(Buffer.from(ass), { format: 'ass', language: 'en-US' }).entries.map((entry) => {
    const text = plainText(entry.text, 'ass')
    return {
      start: entry.start,
      end: entry.end,
      style: entry.style,
      text: letters(text),
      lines: text.split('\n'),
    }
  })
const letters = (text: string) => text.replaceAll(/\s/g, '')

const drawn: BurnedDubOptions = {
  ...{ canvas: { width: 1280, height: 720 }, duration: 60_000, preset: 'default' },
  typeface: estimatedTypeface('Arial'),
}

describe('the subtitles of a dub', () => {
  it.each([
    ['English', english, 46],
    ['Chinese', chinese, 20],
    ['Thai', thai, 50],
  ])('divide a long line of %s into cues of two short lines that share its time', (_, text, most) => {
    const cues = read(dubSrt([line(text, 1000, 11_000)], { duration: 12_000 }))
    expect(cues.length).toBeGreaterThan(1)
    expect(cues[0]?.start).toBe(1000)
    expect(cues.at(-1)?.end).toBe(11_000)
    for (const [index, { start, end, lines }] of cues.entries()) {
      expect(start).toBe(cues[index - 1]?.end ?? 1000)
      expect(lines.length).toBeLessThanOrEqual(2)
      for (const one of lines) expect(one.length).toBeLessThanOrEqual(most)
      const share = lines.join('').length / cues.flatMap((cue) => cue.lines).join('').length
      expect(Math.abs((end - start) / 10_000 - share)).toBeLessThan(0.02)
    }
    expect(letters(cues.flatMap(({ lines }) => lines).join(''))).toBe(letters(text))
  })

  it('have shorter lines over narrow pictures', () => {
    const lines = [line(english, 0, 10_000)]
    const widest = (canvas: { width: number; height: number }) =>
      Math.max(
        ...read(dubSrt(lines, { canvas, duration: 10_000 })).flatMap((cue) =>
          cue.lines.map(({ length }) => length),
        ),
      )
    expect(widest({ width: 1080, height: 1920 })).toBeLessThan(30)
    expect(widest({ width: 1920, height: 1080 })).toBeGreaterThan(34)
  })

  it('close short pauses, keep short lines readable, and end with the output', () => {
    const lines = [line('Yes.', 0, 300), line('Good.', 3000, 3500), line('Bye.', 3700, 3900)]
    const times = (cues: ReturnType<typeof read>) => cues.map(({ start, end }) => [start, end])
    expect(times(read(dubSrt(lines, { duration: 4000 })))).toEqual([
      [0, 800],
      [3000, 3700],
      [3700, 4000],
    ])
  })

  it('have both languages in a cue, that of the dub above', () => {
    const lines = [line('Good evening, and welcome.', 0, 2000, '晚上好，欢迎。')]
    expect(read(bilingualDubSrt(lines, { duration: 2000 }))).toEqual([
      { start: 0, end: 2000, lines: ['Good evening, and welcome.', '晚上好，欢迎。'] },
    ])
  })

  it('divide both languages over the same cues, each in at most two lines', () => {
    const texts = [english, chinese, thai, 'Yes.', '好。']
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.constantFrom(...texts, ''),
        fc.integer({ min: 500, max: 20_000 }),
        fc.constantFrom({ width: 1920, height: 1080 }, { width: 1080, height: 1920 }),
        (text, source, length, canvas) => {
          const lines = [line(text, 700, 700 + length, source)]
          const events = entriesOf(
            dubAss(lines, { ...drawn, canvas, sourceTypeface: estimatedTypeface('Arial') }),
          )
          for (const { lines: shown } of events) expect(shown.length).toBeLessThanOrEqual(2)
          const of = (style: string) => events.filter((event) => event.style === style)
          // A text with fewer words than there are cues stays where it ends.
          const said = (style: string) =>
            of(style).flatMap(({ text: own }, at) => (own === of(style)[at - 1]?.text ? [] : letters(own)))
          expect(said('Dub').join('')).toBe(letters(text))
          expect(said('Source').join('')).toBe(letters(source))
          if (source !== '')
            expect(of('Source').map(({ start }) => start)).toEqual(of('Dub').map(({ start }) => start))
          for (const [at, { start }] of of('Dub').entries()) expect(start).toBe(of('Dub')[at - 1]?.end ?? 700)
        },
      ),
      { numRuns: 200 },
    )
  })

  it.each(subtitleStyleNames)('are drawn in the style %s, with the source below if wanted', (preset) => {
    const lines = [line(english, 0, 9000, chinese), line(String.raw`{\an8}a\Nb`, 9500, 11_000, '好。')]
    const plain = entriesOf(dubAss(lines, { ...drawn, preset }))
    expect(new Set(plain.map(({ style }) => style))).toEqual(new Set(['Dub']))
    expect(plain.at(-1)?.lines).toEqual([String.raw`{\an8}a\Nb`])
    const ass = dubAss(lines, { ...drawn, preset, sourceTypeface: estimatedTypeface('Noto Sans CJK SC') })
    const margins = (style: string) =>
      [...ass.matchAll(/^Dialogue: (?:[^,]*,){3}(\w+),(?:[^,]*,){3}(\d+),/gm)].flatMap(([, name, margin]) =>
        name === style ? [Number(margin)] : [],
      )
    expect(Math.min(...margins('Dub'))).toBeGreaterThan(Math.max(...margins('Source')))
  })

  it('remove control characters, and omit lines without text', () => {
    const lines = [line(' \u202e ', 0, 1000), line('a\u202eb\u0000c', 2000, 3000)]
    expect(read(dubSrt(lines, { duration: 5000 }))).toEqual([{ start: 2000, end: 3000, lines: ['abc'] }])
    expect(read(bilingualDubSrt(lines, { duration: 5000 }))).toHaveLength(1)
  })
})

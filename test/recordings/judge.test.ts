import { describe, expect, it } from 'vitest'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { keptPassages, type RecordingTruth, type TruthPassage } from './assemble.ts'
import { findClicks, judgeCut, seamsOf } from './judge.ts'
import { measureLipOffsets } from './lip-offset.ts'
import { record, silence, vowel } from './speech-sounds.ts'

const table = rhythmTable.default

/** Passages of 1 s at 1, 3, 5, 7 and 9 s with two words each. The second one is a retake of the third. */
const truth: RecordingTruth = (() => {
  const kinds = ['speech', 'retake', 'speech', 'speech', 'filler'] as const
  const scriptWords = [0, 2, 2, 4, 4]
  const passages: TruthPassage[] = kinds.map((kind, index) => ({
    ...{ kind, kept: kind === 'speech', start: 2 * index + 1, end: 2 * index + 2, breakAfter: '。' as const },
    ...{ words: { from: 2 * index, to: 2 * index + 2 }, scriptWord: scriptWords[index] ?? 0 },
  }))
  const words = passages.flatMap(({ start }, passage) =>
    [0, 0.5].map((offset) => ({
      ...{ text: 'word', mark: '', passage, start: start + offset, end: start + offset + 0.5 },
      exact: { start: offset === 0, end: offset > 0 },
    })),
  )
  const breaths = [{ start: 6.3, end: 6.6 }]
  return { language: 'en-US', script: '', seconds: 12, words, passages, breaths, clicks: [] }
})()

/** A cut with the pauses of the table: 0.45 s. */
const perfect: TimeSpan[] = [
  { start: 0.9, end: 2.2 },
  { start: 4.75, end: 6.2 },
  { start: 6.75, end: 8.1 },
]

describe('the judge of cuts', () => {
  it('rates a perfect cut 1', () => {
    const { pauses, ...rest } = judgeCut(truth, perfect, table)
    expect(rest).toMatchObject({ f1: 1, precision: 1, recall: 1, clippedRate: 0, breathSeconds: 0 })
    expect([rest.clippedWords, rest.missingWords]).toEqual([[], []])
    expect(pauses).toHaveLength(2)
    for (const { want, got, error } of pauses) {
      expect([want, got]).toEqual([expect.closeTo(0.45, 9), expect.closeTo(0.45, 9)])
      expect(error).toBeCloseTo(0, 9)
    }
  })

  it('lowers the precision by kept mistakes, fillers and repetitions', () => {
    const whole = judgeCut(truth, [{ start: 0, end: 12 }], table)
    expect([whole.precision, whole.recall, whole.f1]).toEqual([0.6, 1, expect.closeTo(0.75, 9)])
    expect(whole.pauses).toHaveLength(1)
    expect(whole.breathSeconds).toBeCloseTo(0.3, 9)
    expect(judgeCut(truth, [...perfect, { start: 0.9, end: 2.2 }], table).precision).toBe(0.75)
  })

  it('lowers the recall by what is missing, and reports its words apart', () => {
    const { precision, recall, missingWords, clippedWords } = judgeCut(truth, perfect.slice(0, 2), table)
    expect(precision).toBe(1)
    expect(recall).toBeCloseTo(2 / 3, 9)
    expect(missingWords).toEqual(truth.words.slice(6, 8))
    expect(clippedWords).toEqual([])
  })

  it('rates passages that are not in the order of the script as wrong', () => {
    const [one, two, three] = perfect
    if (!one || !two || !three) throw new Error('there are three spans')
    const { precision, recall } = judgeCut(truth, [two, one, three], table)
    expect([precision, recall]).toEqual([expect.closeTo(2 / 3, 9), expect.closeTo(2 / 3, 9)])
  })

  it.each([
    [0.019, 0],
    [0.021, 1],
    [0.3, 1],
  ])('finds a word that loses %s s', (lost, count) => {
    const clipped = [{ start: 1 + lost, end: 2.2 }, ...perfect.slice(1)]
    const { clippedWords, clippedRate, missingWords } = judgeCut(truth, clipped, table)
    expect(clippedWords).toEqual(truth.words.slice(0, count))
    expect(clippedRate).toBeCloseTo(count / 6, 9)
    expect(missingWords).toEqual([])
    const middle = [{ start: 0.9, end: 1.2 }, { start: 1.2 + lost, end: 2.2 }, ...perfect.slice(1)]
    expect(judgeCut(truth, middle, table).clippedWords).toHaveLength(count)
  })

  it('measures the error of each pause, also of takes in another order', () => {
    const longer = [{ start: 0.9, end: 2.23 }, ...perfect.slice(1)]
    expect(judgeCut(truth, longer, table).pauses[0]).toMatchObject({
      time: 2,
      error: expect.closeTo(0.03, 9),
    })
    const [first, , third, fourth] = truth.passages
    if (!first || !third || !fourth) throw new Error('there are five passages')
    const swapped = {
      ...truth,
      passages: truth.passages.map((passage) =>
        passage === third
          ? { ...third, scriptWord: 4 }
          : passage === fourth
            ? { ...fourth, scriptWord: 2 }
            : passage,
      ),
    }
    expect(keptPassages(swapped).map(({ start }) => start)).toEqual([1, 7, 5])
    const cut = [
      { start: 0.9, end: 2.2 },
      { start: 6.75, end: 8.1 },
      { start: 4.7, end: 6.2 },
    ]
    const { f1, pauses } = judgeCut(swapped, cut, table)
    expect(f1).toBe(1)
    expect(pauses.map(({ got }) => got)).toEqual([expect.closeTo(0.45, 9), expect.closeTo(0.4, 9)])
  })

  it('finds clicks at seams only where there are any', () => {
    const { samples } = record([silence(1), vowel(1), silence(1)])
    const seams = seamsOf(perfect)
    expect(seams).toEqual([expect.closeTo(1.3, 9), expect.closeTo(2.75, 9)])
    expect(findClicks({ samples, rate: 16_000 }, [0.5, ...seams])).toEqual([])
    const clicking = samples.slice()
    clicking[8000] = 0.4
    expect(findClicks({ samples: clicking, rate: 16_000 }, [0.5, 1.5])).toEqual([
      { time: 0.5, jump: expect.closeTo(0.4, 2) },
    ])
    expect(findClicks({ samples: clicking, rate: 16_000 }, [0.6])).toEqual([])
  })
})

describe('the lip offset', () => {
  const { samples } = record([silence(0.5), vowel(2), silence(0.3), vowel(2), silence(0.2)])
  const rate = { num: 25, den: 1 }
  const frames = Array.from({ length: 125 }, (_, frame) => frame)

  it.each([0, 0.02, -0.05])('is measured: %s s', (late) => {
    const shift = Math.round(late * 16_000)
    const rendered = Float32Array.from(samples, (_, at) => samples[at - shift] ?? 0)
    const offsets = measureLipOffsets({ source: samples, rendered, frames, rate })
    expect(offsets.length).toBeGreaterThan(2)
    for (const { offset } of offsets) expect(offset).toBeCloseTo(late, 4)
  })

  it('follows the cuts of the picture', () => {
    // Half a second of speech is removed.
    const rendered = Float32Array.from([...samples.subarray(0, 16_000), ...samples.subarray(24_000)])
    const cut = [...frames.slice(0, 25), ...frames.slice(37)]
    const offsets = measureLipOffsets({ source: samples, rendered, frames: cut, rate })
    expect(offsets.map(({ offset }) => offset)).toEqual(
      offsets.map(({ time }) => expect.closeTo(time < 1 ? 0 : -0.02, 4) as number),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterEmbeddings, speakerTurns } from './speaker-turns.ts'
import { defaultVoiceActivityRule, recognitionChunks, SpeechSpanDetector } from './speech-spans.ts'
import { decodePowerset, SpeakerTracker } from './speaker-tracks.ts'
import type { TimeSpan } from './speech-types.ts'

const frame = 0.1
function spansOf(probabilities: readonly number[], rule = defaultVoiceActivityRule): TimeSpan[] {
  const spans = new SpeechSpanDetector(frame, rule)
  return [...probabilities.flatMap((each) => spans.add(each) ?? []), ...spans.end()]
}
const row = (count: number, value: number) => Array.from({ length: count }, () => value)

describe('spans of speech', () => {
  const rule = { ...defaultVoiceActivityRule, minSilence: 0.3, padding: 0 }

  it('start above one threshold and end below another', () => {
    const [span] = spansOf([...row(10, 0.4), ...row(10, 0.6), ...row(10, 0.4), ...row(10, 0.1)], rule)
    expect(span?.start).toBeCloseTo(1, 9)
    expect(span?.end).toBeCloseTo(3, 9)
  })

  it('ignore short silence and short sounds', () => {
    expect(spansOf([...row(5, 0.9), ...row(2, 0), ...row(5, 0.9), ...row(9, 0)], rule)).toHaveLength(1)
    expect(spansOf([...row(5, 0.9), ...row(4, 0), ...row(5, 0.9), ...row(9, 0)], rule)).toHaveLength(2)
    expect(spansOf([...row(5, 0), ...row(2, 0.9), ...row(9, 0)], rule)).toEqual([])
  })

  it('are padded, and joined where the padding meets', () => {
    const wide = { ...rule, padding: 0.3 }
    const spans = spansOf([...row(2, 0), ...row(5, 0.9), ...row(5, 0), ...row(5, 0.9), ...row(20, 0)], wide)
    expect(spans).toEqual([{ start: 0, end: expect.closeTo(2, 9) as number }])
  })

  it('are in order, separate and within the sound for any probabilities', () => {
    const wide = { ...defaultVoiceActivityRule, padding: 0.25 }
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 300 }),
        (probabilities) => {
          let before = 0
          for (const { start, end } of spansOf(probabilities, wide)) {
            expect(start).toBeGreaterThanOrEqual(before)
            expect(end).toBeGreaterThan(start)
            before = end
          }
          expect(before).toBeLessThanOrEqual(probabilities.length * frame + 1e-9)
        },
      ),
    )
  })
})

describe('chunks for a recogniser', () => {
  it('join spans that fit, and end at a long pause', () => {
    const spans = [
      { start: 1, end: 4 },
      { start: 5, end: 9 },
      { start: 12, end: 14 },
      { start: 14.5, end: 22 },
    ]
    expect(recognitionChunks(spans, { longest: 9, frame, probabilities: [] })).toEqual([
      { start: 1, end: 9 },
      { start: 12, end: 14 },
      { start: 14.5, end: 22 },
    ])
  })

  it('split long speech where its probability is lowest', () => {
    const probabilities = row(200, 0.9)
    probabilities[77] = 0.1
    const pieces = recognitionChunks([{ start: 0, end: 15 }], { longest: 10, frame, probabilities })
    expect(pieces.map(({ end }) => end)).toEqual([expect.closeTo(7.7, 9), 15])
  })

  it('cover all speech once, and none is too long', () => {
    const gaps = fc.array(
      fc.tuple(fc.double({ min: 0.1, max: 5, noNaN: true }), fc.double({ min: 0.3, max: 99, noNaN: true })),
    )
    fc.assert(
      fc.property(gaps, (all) => {
        let time = 0
        const spans = all.map(([gap, length]) => {
          const start = time + gap
          time = start + length
          return { start, end: time }
        })
        const pieces = recognitionChunks(spans, { longest: 28, frame, probabilities: [] })
        for (const [index, { start, end }] of pieces.entries()) {
          expect(end - start).toBeLessThanOrEqual(28 + 1e-9)
          expect(start).toBeGreaterThanOrEqual(pieces[index - 1]?.end ?? 0)
        }
        for (const { start, end } of spans) {
          const held = pieces.reduce(
            (sum, piece) => sum + Math.max(0, Math.min(piece.end, end) - Math.max(piece.start, start)),
            0,
          )
          expect(held).toBeCloseTo(end - start, 6)
        }
      }),
    )
  })
})

describe('speakers', () => {
  it('are those of the most likely class, including two at once', () => {
    const scores = new Float32Array(3 * 7).fill(-9)
    scores[0] = 0
    scores[7 + 2] = 0
    scores[14 + 5] = 0
    expect(decodePowerset(scores, 3).map((voice) => [...voice])).toEqual([
      [0, 0, 1],
      [0, 1, 0],
      [0, 0, 1],
    ])
  })

  const voice = (...frames: readonly [number, number][]) => {
    const active = new Uint8Array(100)
    for (const [from, to] of frames) active.fill(1, from, to)
    return active
  }

  it('keep their track across windows, in any order', () => {
    const tracks = new SpeakerTracker({ window: 100, hop: 25 })
    expect(tracks.add([voice([0, 50]), voice([50, 100]), voice()])).toEqual([0, 1, -1])
    expect(tracks.add([voice(), voice([25, 100]), voice([0, 25])])).toEqual([-1, 1, 0])
    expect(tracks.add([voice([0, 60]), voice([70, 100]), voice()])).toEqual([1, 2, -1])
    tracks.end()
    expect(tracks.turns).toContainEqual({ track: 0, start: 0, end: 50 })
    expect(tracks.turns.filter(({ track }) => track === 1)).toEqual([{ track: 1, start: 50, end: 110 }])
    expect(tracks.simultaneousTracks).toEqual(new Set(['0 1', '1 2']))
  })

  it('are numbered by first speech; short tracks join the nearest speaker', () => {
    const tracks = [
      { track: 7, start: 0, end: 10 },
      { track: 3, start: 12, end: 14 },
      { track: 9, start: 40, end: 50 },
    ]
    const groups = new Map([
      [7, 1],
      [9, 0],
    ])
    expect(speakerTurns(tracks, { groups, seconds: (at) => at / 10 })).toEqual([
      { speaker: 0, start: 0, end: 1.4 },
      { speaker: 1, start: 4, end: 5 },
    ])
  })

  it('merge if their embeddings are similar, unless they occur in one window', () => {
    const unit = (degrees: number) =>
      Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180))
    const vectors = [0, 90, 10, 80, 5].map(unit)
    const never = () => false
    expect(clusterEmbeddings(vectors, { minSimilarity: 0.5, cannotLink: never })).toEqual([0, 1, 0, 1, 0])
    expect(clusterEmbeddings(vectors, { minSimilarity: 0.999, cannotLink: never })).toEqual([0, 1, 2, 3, 4])
    const cannotLink = (one: number, other: number) => one + other === 2 && one !== other
    expect(clusterEmbeddings([0, 20, 1].map(unit), { minSimilarity: 0.5, cannotLink })).toEqual([0, 1, 1])
    expect(clusterEmbeddings([], { minSimilarity: 0.5, cannotLink: never })).toEqual([])
  })
})

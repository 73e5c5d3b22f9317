import { describe, expect, test } from 'vitest'
import { breath, type Piece, record, silence, vowel } from '../../../test/recordings/speech-sounds.ts'
import type { SpeechLevels } from './edges.ts'
import { planCuts } from './frames.ts'
import { LevelTrack } from './level-track.ts'
import { rhythmTable } from './pauses.ts'
import { measuredPauses, speechSegments } from './segments.ts'
import { mapSpeech } from './speech-map.ts'

const rate = { num: 25, den: 1 }
const rhythm = rhythmTable.default

/** A recording of pieces: each vowel is a word; recognised times are 60 ms late. */
function listen(pieces: readonly Piece[]) {
  const { samples, spans } = record(pieces)
  const track = new LevelTrack()
  track.add(samples)
  const curve = track.finish()
  const levels: SpeechLevels = { curve, map: mapSpeech(curve) }
  const voices = spans.filter((_, index) => pieces[index]?.kind === 'vowel')
  const heard = voices.map(({ start, end }, index) => ({
    text: `word${index}`,
    start: start + 0.06,
    end: end + 0.06,
  }))
  return { heard, levels, rhythm, seconds: samples.length / 16_000, voices }
}

/** All words, with the text of the script after each. */
const keep = (...textsAfter: readonly string[]) => textsAfter.map((textAfter, word) => ({ word, textAfter }))

const near = (seconds: number) => expect.closeTo(seconds, 1.7)

describe('speechSegments', () => {
  test('divides words at punctuation and long pauses, with edges from the sound', () => {
    const recording = listen([
      ...[silence(1), vowel(0.4), silence(0.1), vowel(0.4), silence(0.8)],
      ...[vowel(0.4), silence(0.5), vowel(0.4), silence(1)],
    ])
    const segments = speechSegments(keep(' ', ', ', ' ', '.'), recording)
    expect(segments).toMatchObject([
      { voiced: { start: near(1), end: near(1.9) }, breakAfter: ',', contiguous: true },
      { voiced: { start: near(2.7), end: near(3.1) }, breakAfter: null, contiguous: true },
      { voiced: { start: near(3.6), end: near(4) }, breakAfter: null, contiguous: false },
    ])
    expect(segments[0]?.available).toEqual({ start: 0, end: near(2.7) })
    expect(segments[2]?.available).toEqual({ start: near(3.1), end: 5 })
    expect(measuredPauses(segments)).toEqual([
      { class: ',', seconds: near(0.8) },
      { class: null, seconds: near(0.5) },
    ])
  })

  test('excludes a breath between segments', () => {
    const recording = listen([
      ...[silence(0.5), vowel(0.4), silence(0.3), breath(0.4, -35), silence(0.3)],
      ...[vowel(0.4), silence(0.5)],
    ])
    const segments = speechSegments(keep('. ', '.'), recording)
    expect(segments).toMatchObject([
      { available: { end: near(1.2) }, breakAfter: '。', contiguous: false },
      { available: { start: near(1.6) } },
    ])
    const { ranges, pauses } = planCuts(segments, { rate, mediaFrames: 60, rhythm })
    expect(pauses).toMatchObject([{ want: 0.45, got: expect.closeTo(0.45, 1) }])
    const [before, after] = ranges
    expect((before?.end ?? 0) / 25).toBeLessThan(1.22)
    expect((after?.first ?? 0) / 25).toBeGreaterThan(1.58)
  })

  test('leaves no sound of dropped words', () => {
    const recording = listen([
      ...[silence(0.5), vowel(0.4), silence(0.2), vowel(0.4), silence(0.2), vowel(0.4), silence(0.5)],
    ])
    const kept = [
      { word: 0, textAfter: ' ' },
      { word: 2, textAfter: '' },
    ]
    const segments = speechSegments(kept, recording)
    expect(segments).toMatchObject([
      { available: { end: near(1.1) }, contiguous: false },
      { available: { start: near(1.5) } },
    ])
  })

  test('uses the recognised times where the sound shows no voice', () => {
    const { levels, seconds } = listen([silence(3)])
    const heard = [{ text: 'word', start: 1, end: 1.5 }]
    expect(speechSegments(keep('.'), { heard, levels, rhythm, seconds })).toMatchObject([
      { voiced: { start: 1, end: 1.5 }, available: { start: 0, end: 3 } },
    ])
  })
})

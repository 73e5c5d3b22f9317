import { afterAll, describe, expect, it } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import { openTranscriptionService } from '../../src/engines/speech/transcription-service.ts'
import { sampleCases } from '../soak-size.ts'
import { assemble, type RecordingTruth } from './assemble.ts'
import { writeScript } from './script.ts'
import { recordingLanguages } from './sentences.ts'
import { canSpeak } from './speak.ts'
import { noise } from './speech-sounds.ts'
import { hear, startStandInRecogniser, usualErrors, type RecogniserErrors } from './stand-in-recogniser.ts'

afterAll(() => configureServices({}))

const { signal } = new AbortController()
const rate = 16_000

/** Recognises spans of samples of a recording through a stand-in service. */
async function recognise(
  recording: Awaited<ReturnType<typeof assemble>>,
  sounds: readonly Float32Array[],
  errors?: RecogniserErrors,
) {
  await using server = await startStandInRecogniser(recording, errors)
  configureServices({ transcription: { address: `${server.origin}/v1`, model: 'stand-in' } })
  await using recogniser = openTranscriptionService()
  const results = []
  for (const sound of sounds) results.push(await recogniser.recognise(sound, { signal }))
  return results
}

/** Words of a span, without fillers. */
function trueWords({ words, passages }: RecordingTruth, { start, end }: { start: number; end: number }) {
  return words.filter(
    (word) =>
      passages[word.passage]?.kind !== 'filler' &&
      (word.start + word.end) / 2 >= start &&
      (word.start + word.end) / 2 < end,
  )
}

describe.skipIf(!canSpeak)('the stand-in recogniser', () => {
  /** The last language first, whose words have spaces between them; pauses.test.ts takes the first one. */
  const languages = recordingLanguages.toReversed()

  it.each(sampleCases(languages, 1))('returns the truth without errors: %s', async (language) => {
    const recording = await assemble(writeScript({ language, seed: 2, sentences: 6 }))
    const { samples, truth } = recording
    const spans = [
      ...truth.passages.slice(0, 12).map(({ start, end }) => ({ start: start - 0.1, end: end + 0.1 })),
      { start: (truth.passages[2]?.start ?? 0) - 0.0571, end: (truth.passages[9]?.end ?? 0) + 0.07 },
      { start: 0, end: truth.seconds },
    ]
    // Loudness and a little noise do not matter.
    const random = noise(1)
    const sounds = spans.map(({ start, end }, index) =>
      samples
        .subarray(Math.round(start * rate), Math.round(end * rate))
        .map((sample) => sample * (index % 2 === 0 ? 0.5 : 1) + 0.0002 * random()),
    )
    const results = await recognise(recording, sounds, {})
    for (const [index, span] of spans.entries()) {
      const words = results[index]?.words ?? []
      const expected = trueWords(truth, span)
      expect(words.map(({ text }) => text).join('')).toBe(expected.map(({ text }) => text).join(''))
      expect((words[0]?.start ?? 0) + span.start).toBeCloseTo(expected[0]?.start ?? span.start, 3)
      expect((words.at(-1)?.end ?? 0) + span.start).toBeCloseTo(expected.at(-1)?.end ?? span.start, 3)
    }
  })

  it('returns nothing for other sound', async () => {
    const recording = await assemble(writeScript({ language: 'en-US', sentences: 3 }))
    const tone = Float32Array.from({ length: 40_000 }, (_, at) => Math.sin(at / 10) / 2)
    const silence = recording.samples.subarray(0, 10_000)
    const short = recording.samples.subarray(20_000, 20_100)
    const results = await recognise(recording, [tone, silence, short], {})
    expect(results.map(({ text }) => text)).toEqual(['', '', ''])
  })

  it('makes the errors that it is given, the same ones for a seed', async () => {
    const { truth } = await assemble(writeScript({ language: 'en-US', seed: 3 }))
    const span = { start: 0, end: truth.seconds }
    const expected = trueWords(truth, span)
    const jittered = hear(truth, span, { jitter: 0.08 })
    const deviations = jittered.map(({ start }, index) => start - (expected[index]?.start ?? 0))
    expect(Math.max(...deviations.map(Math.abs))).toBeLessThanOrEqual(0.2)
    expect(deviations.filter((each) => Math.abs(each) > 0.03).length).toBeGreaterThan(expected.length / 3)
    let before = 0
    for (const { start, end } of jittered) {
      expect(start).toBeGreaterThanOrEqual(before)
      expect(end).toBeGreaterThanOrEqual(start)
      before = end
    }
    expect(hear(truth, span, { jitter: 0.08 })).toEqual(jittered)
    expect(hear(truth, span, { jitter: 0.08, seed: 2 })).not.toEqual(jittered)
    const wrong = hear(truth, span, { substitutions: 0.05 })
    const count = wrong.filter(({ text }, index) => text !== expected[index]?.text).length
    expect(count / wrong.length).toBeGreaterThan(0.01)
    expect(count / wrong.length).toBeLessThan(0.12)
    expect(hear(truth, span, usualErrors).length).toBeLessThanOrEqual(expected.length)
  })

  it('swallows retakes only if the same sound has the next take', async () => {
    const script = writeScript({ language: 'en-US', seed: 3 })
    const { truth } = await assemble(script)
    const index = truth.passages.findIndex(({ kind }) => kind === 'restart')
    const restart = truth.passages[index]
    if (!restart) throw new Error('the script has no restart')
    const next = truth.passages[index + 1] ?? restart
    const both = { start: restart.start - 0.05, end: next.end + 0.05 }
    const words = hear(truth, both, { swallowed: 1 })
    expect(words.map(({ text }) => text)).toEqual(
      truth.words.slice(next.words.from, next.words.to).map(({ text }) => text),
    )
    expect(words[0]?.start).toBeCloseTo(restart.start, 6)
    const alone = { start: both.start, end: restart.end + 0.05 }
    expect(hear(truth, alone, { swallowed: 1 })).toHaveLength(2)
  })

  it('leaves words out of longer sound, and hears them alone where it can', async () => {
    const { truth } = await assemble(
      writeScript({ language: 'en-US', seed: 5, sentences: 1, mistakes: false }),
    )
    const texts = (span: { start: number; end: number }, isHeardAlone: boolean) =>
      hear(truth, span, { omitted: [{ from: 1, to: 3, isHeardAlone }] }).map(({ text }) => text)
    const all = truth.words.map(({ text }) => text)
    const alone = { start: truth.words[1]?.start ?? 0, end: truth.words[2]?.end ?? 0 }
    expect(texts({ start: 0, end: truth.seconds }, true)).toEqual([all[0], ...all.slice(3)])
    expect(texts(alone, true)).toEqual(all.slice(1, 3))
    expect(texts(alone, false)).toEqual([])
  })
})

import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Recogniser } from '../../../src/engines/speech/speech-engines.ts'
import { transcribeFile, type TranscribedSegment } from '../../../src/engines/speech/transcribe.ts'
import { MediaError } from '../../../src/contract/errors.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import {
  hasSpeechFiles,
  joined,
  decodeLimits,
  silence,
  useSpeechPacks,
  voiceOf,
  writeSound,
} from './recordings.ts'

const folder = await scratchFolder()

/** Fake recogniser that returns the length of its input as one word. */
function fakeRecogniser(maxSeconds: number, lengths: number[] = []): Recogniser {
  return {
    name: 'fake',
    maxSeconds,
    recognise(sound, { language }) {
      const seconds = sound.length / 16_000
      lengths.push(seconds)
      const words = [{ text: language ?? 'any', start: 0, end: seconds }]
      return Promise.resolve({
        text: words[0]?.text ?? '',
        words,
        timed: true,
        confidence: 0.9,
        language: null,
      })
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

describe.skipIf(!hasSpeechFiles)('transcribing a file (REELWRIGHT_TESTDATA)', () => {
  let path: string
  let seconds: number
  beforeAll(async () => {
    useSpeechPacks(folder)
    const [austen, woman] = [await voiceOf('austen'), await voiceOf('woman')]
    const sound = joined(
      silence(2),
      austen,
      silence(4),
      woman,
      silence(0.5),
      austen,
      austen,
      austen,
      silence(1),
    )
    seconds = sound.length / 16_000
    path = await writeSound(join(folder, 'talk.wav'), sound)
  })

  async function segmentsOf(recogniser: Recogniser, options: { language?: string; after?: number } = {}) {
    const parts: TranscribedSegment[] = []
    for await (const part of transcribeFile(path, { ...decodeLimits, recogniser, ...options }))
      parts.push(part)
    return parts
  }

  it('covers all speech in order, with times of the recording, in chunks the recogniser accepts', async () => {
    const parts = await segmentsOf(fakeRecogniser(12), { language: 'en-US' })
    expect(parts.length).toBeGreaterThan(3)
    let before = 1.5
    for (const { span, words, progress } of parts) {
      expect(span.start).toBeGreaterThanOrEqual(before)
      expect(span.end - span.start).toBeLessThanOrEqual(12)
      expect(words).toEqual([
        {
          text: 'en-US',
          start: expect.closeTo(span.start, 3) as number,
          end: expect.closeTo(span.end, 3) as number,
        },
      ])
      expect(progress).toBeGreaterThan(0)
      before = span.end
    }
    expect(parts[0]?.span.start).toBeCloseTo(2.3, 0)
    expect(before).toBeLessThan(seconds)
    expect(before).toBeGreaterThan(seconds - 2)
    expect(parts.at(-1)?.progress).toBeCloseTo(1, 6)
  })

  it('resumes after an earlier call', async () => {
    const all = await segmentsOf(fakeRecogniser(12))
    const [first] = all
    const lengths: number[] = []
    const rest = await segmentsOf(fakeRecogniser(12, lengths), { after: first?.span.end ?? 0 })
    expect(rest).toEqual(all.slice(1))
    expect(lengths).toHaveLength(all.length - 1)
  })

  it('throws the error of the recogniser', async () => {
    const failing = {
      ...fakeRecogniser(12),
      recognise: () => Promise.reject(new MediaError(6402, 'it ended')),
    }
    await expect(segmentsOf(failing)).rejects.toMatchObject({ code: 6402, message: 'it ended' })
  })

  it('returns nothing for silence without calling the recogniser', async () => {
    const quiet = await writeSound(join(folder, 'quiet.wav'), silence(3))
    const recogniser = {
      ...fakeRecogniser(12),
      recognise: () => Promise.reject(new Error('the recogniser was called')),
    }
    const parts = transcribeFile(quiet, { ...decodeLimits, recogniser })
    expect(await parts.next()).toMatchObject({ done: true })
  })
})

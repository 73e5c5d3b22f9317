import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { corruptBytes } from '../engines/ffmpeg/corrupt-bytes.ts'
import {
  hasSpeechFiles,
  joined,
  mixed,
  music,
  silence,
  useSpeechPacks,
  voiceOf,
  writeSound,
} from '../engines/speech/recordings.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { startFakeSpeechServices, type FakeSpeechServices } from './fake-speech-services.ts'
import { runTextToSpeech } from './run-tts.ts'

// Background behind a voice is removed if it can be detected and a separator is installed.

const folder = await scratchFolder()

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  let speechServices: FakeSpeechServices
  /** Five seconds of speech without pauses, and four of them: references have at least 3 s. */
  let gapless: Float32Array
  let shorter: Float32Array
  let background: Float32Array
  let speechOverMusic: string
  beforeAll(async () => {
    speechServices = await startFakeSpeechServices()
    gapless = (await voiceOf('austen')).slice(0.5 * 16_000, 5.5 * 16_000)
    shorter = gapless.subarray(0, 4 * 16_000)
    background = music(8, 0.02)
    speechOverMusic = await writeSound(join(folder, 'gapless.wav'), mixed(gapless, background))
  })
  afterAll(() => speechServices[Symbol.asyncDispose]())

  const separationOf = async (path: string) => {
    const { output } = await runTextToSpeech(folder, path, { text: 'Hello.' })
    const { separated, separator } = output.report.ref
    return { separated, separator, notes: output.notes ?? [] }
  }

  test('reports parts of the reference that cannot be decoded', async () => {
    useTestPacks(join(folder, 'holed'))
    const wav = await writeSound(join(folder, 'before.wav'), joined(silence(1), shorter, silence(1), shorter))
    const coded = await generateMedia(join(folder, 'hole.m4a'), ['-i', wav, '-c:a', 'aac'])
    expect((await separationOf(await corruptBytes(coded, 0.6, 0.8))).notes).toContainEqual(
      expect.stringMatching(
        /^of the reference \d\.\d s of the sound are missing or cannot be decoded; they were treated as silence/,
      ),
    )
  })

  /** The voice twice, far apart, with music behind the longer part, which is cloned, or behind the other. */
  const createTwoSpans = async (musicSpan: 'copied' | 'other') => {
    const copied = joined(silence(0.6), shorter, silence(3))
    const other = joined(silence(1), gapless.subarray(0, 3.4 * 16_000), silence(0.6))
    const withMusic = (part: Float32Array) => mixed(part, background)
    const parts = musicSpan === 'copied' ? [withMusic(copied), other] : [copied, withMusic(other)]
    return await writeSound(join(folder, `${musicSpan}.wav`), joined(...parts))
  }

  describe('without a separator', () => {
    beforeAll(() => void useTestPacks(join(folder, 'bare')))

    test('reports music only behind the cloned span', async () => {
      expect(await separationOf(await createTwoSpans('copied'))).toEqual({
        separated: false,
        separator: null,
        notes: [expect.stringMatching(/^the voice has background music, .*`reelwright models pull \S+`$/)],
      })
      expect(await separationOf(await createTwoSpans('other'))).toEqual({
        separated: false,
        separator: null,
        notes: [],
      })
    })

    test('reports that speech without pauses cannot be analysed', async () => {
      expect(await separationOf(speechOverMusic)).toEqual({
        separated: false,
        separator: null,
        notes: [
          expect.stringMatching(
            /^the speech has no pauses in which background music could be detected, .*models pull/,
          ),
        ],
      })
    })
  })

  describe('with a separator', () => {
    beforeAll(() => useSpeechPacks(folder))

    const voices = [
      ['speech without pauses', () => Promise.resolve(speechOverMusic)],
      ['the span that is cloned', () => createTwoSpans('copied')],
    ] as const
    test.each(voices)('removes it from %s', async (_, write) => {
      const separation = await separationOf(await write())
      expect(separation).toEqual({ separated: true, separator: 'gtcrn', notes: [] })
    })

    test('keeps a clean voice without pauses unchanged', async () => {
      const path = await writeSound(join(folder, 'alone.wav'), gapless)
      expect(await separationOf(path)).toEqual({ separated: false, separator: null, notes: [] })
    })
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { make, scratchFolder } from '../engines/ffmpeg/made.ts'
import { withHole } from '../engines/ffmpeg/with-hole.ts'
import {
  hasSpeech,
  joined,
  mixed,
  music,
  silence,
  usePacks,
  voiceOf,
  writeSound,
} from '../engines/speech/recordings.ts'
import { packsFrom } from '../engines/vision/packs.ts'
import { startParrot, type Parrot } from './fake-speech-services.ts'
import { speak } from './run-tts.ts'

// What is behind the voice of a recording is taken off it, as far as it can be heard and there is something that does.

const folder = await scratchFolder()

describe.skipIf(!hasSpeech)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  let parrot: Parrot
  /** Speaks for six seconds without a pause that could be heard into. */
  let gapless: Float32Array
  let overMusic: string
  beforeAll(async () => {
    parrot = await startParrot()
    gapless = (await voiceOf('austen')).slice(0.5 * 16_000, 6.5 * 16_000)
    overMusic = await writeSound(join(folder, 'gapless.wav'), mixed(gapless, music(6, 0.02)))
  })
  afterAll(() => parrot[Symbol.asyncDispose]())

  const heardOf = async (path: string) => {
    const { output } = await speak(folder, path, { text: 'Hello.' })
    const { separated, separator } = output.report.ref
    return { separated, separator, notes: output.notes ?? [] }
  }

  test('what of the reference does not decode is told', async () => {
    packsFrom(join(folder, 'holed'))
    const wav = await writeSound(join(folder, 'before.wav'), joined(silence(1), gapless, silence(1), gapless))
    const coded = await make(join(folder, 'hole.m4a'), ['-i', wav, '-c:a', 'aac'])
    expect((await heardOf(await withHole(coded, 0.6, 0.8))).notes).toContainEqual(
      expect.stringMatching(
        /^of the reference \d\.\d s of the sound are missing or cannot be decoded; they were treated as silence/,
      ),
    )
  })

  /** The voice twice, far apart; music is behind the longer part, which is copied, or behind the other. */
  const twice = async (musicBehind: 'copied' | 'other') => {
    const copied = joined(silence(1), gapless, silence(6))
    const other = joined(silence(1), gapless.subarray(0, 4 * 16_000), silence(1))
    const withMusic = (part: Float32Array) => mixed(part, music(part.length / 16_000, 0.02))
    const parts = musicBehind === 'copied' ? [withMusic(copied), other] : [copied, withMusic(other)]
    return await writeSound(join(folder, `${musicBehind}.wav`), joined(...parts))
  }

  describe('where nothing takes it off', () => {
    beforeEach(() => void packsFrom(join(folder, 'bare')))

    test('music is named, but only where it is behind the part that is copied', async () => {
      expect(await heardOf(await twice('copied'))).toEqual({
        separated: false,
        separator: null,
        notes: [expect.stringMatching(/^the voice has background music, .*`reelwright models pull \S+`$/)],
      })
      expect(await heardOf(await twice('other'))).toEqual({ separated: false, separator: null, notes: [] })
    })

    test('speech without a pause has a note that what is behind it cannot be heard', async () => {
      expect(await heardOf(overMusic)).toEqual({
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

  describe('where something takes it off', () => {
    beforeEach(() => usePacks(folder))

    test('it is taken off, of speech without a pause too', async () => {
      for (const path of [await twice('copied'), overMusic]) {
        expect(await heardOf(path)).toEqual({ separated: true, separator: 'gtcrn', notes: [] })
      }
    })

    test('a voice alone that makes no pause stays as it is', async () => {
      const path = await writeSound(join(folder, 'alone.wav'), gapless)
      expect(await heardOf(path)).toEqual({ separated: false, separator: null, notes: [] })
    })
  })
})

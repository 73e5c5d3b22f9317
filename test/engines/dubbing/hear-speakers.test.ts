import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { DubbingLanguage } from '../../../src/contract/languages.ts'
import { hearSpeakers } from '../../../src/engines/dubbing/hear-speakers.ts'
import { encodeWav } from '../../../src/media/audio/wav.ts'
import { type SpeakerTurn, speechRate } from '../../../src/media/speech/speech-types.ts'
import { recordingLanguages } from '../../recordings/sentences.ts'
import { canSpeak } from '../../recordings/speak.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { type Dialogue, recordDialogue } from '../../video-translate-dub/dialogue.ts'
import { useDubPacks } from '../../video-translate-dub/dub-source.ts'
import { type SpokenServices, startSpokenServices } from '../../video-translate-dub/spoken-services.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { hasSpeechFiles, neverAborted } from '../speech/recordings.ts'

const parrot = ({ recogniser }: SpokenServices) => `parrot at ${new URL(recogniser.origin).host}`
const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns who speaks most in a span. */
function mainSpeaker(
  turns: readonly SpeakerTurn[],
  span: { start: number; end: number },
): number | undefined {
  const shared = (one: SpeakerTurn) => Math.min(one.end, span.end) - Math.max(one.start, span.start)
  return turns.toSorted((one, other) => shared(other) - shared(one))[0]?.speaker
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('hearing speakers (REELWRIGHT_TESTDATA)', () => {
  let services: SpokenServices | undefined
  afterEach(() => services?.[Symbol.asyncDispose]())

  /** Records a dialogue and starts the services that know it. */
  async function prepare(language: Dialogue['truth']['language'], sentences = soakSize(4, 8)) {
    const folder = await scratchFolder()
    await useDubPacks(folder)
    const dialogue = await recordDialogue({ language, sentences })
    const path = join(folder, 'voice.wav')
    await writeFile(path, encodeWav({ samples: dialogue.samples, rate: speechRate }))
    services = await startSpokenServices([dialogue], { jitter: 0.05 })
    const file = (await stageFiles([path])).get(fileIdOf(path))
    const progress: number[] = []
    const hear = async (spoken: DubbingLanguage = language, signal = neverAborted) =>
      await hearSpeakers(file, {
        ...{ language: spoken, signal, steps: folder },
        progress: (percent) => progress.push(percent),
      })
    return { folder, dialogue, services, progress, hear }
  }

  it.each(sampleCases(recordingLanguages, 1))(
    'finds words and two speakers in %s, once for all attempts',
    async (language) => {
      const { folder, dialogue, services: stage, progress, hear } = await prepare(language)
      const first = await hear()
      const { transcript, turns, ...heard } = first
      expect(heard).toEqual({
        ...{ recogniser: parrot(stage), diarizer: 'pyannote-segmentation with speaker-embedding', notes: [] },
      })
      expect(letters(transcript.words.map(({ text }) => text).join(''))).toBe(
        letters(dialogue.sentences.join('')),
      )
      expect(transcript.timed).toBe(true)
      expect(new Set(turns?.map(({ speaker }) => speaker))).toEqual(new Set([0, 1]))
      const found = dialogue.turns.map((turn) => mainSpeaker(turns ?? [], turn))
      expect(found.slice(1)).toEqual(dialogue.turns.slice(1).map(({ speaker }) => speaker))
      expect(progress.at(-1)).toBe(100)
      expect(progress).toEqual(progress.toSorted((one, other) => one - other))
      const requests = stage.recogniser.heard.length
      // Speakers cannot be found again without a model of voices.
      await useDubPacks(join(folder, 'other'), [])
      expect(await hear()).toEqual(first)
      expect(stage.recogniser.heard.length).toBe(requests)
    },
  )

  it('has one speaker, and a note, without a model of voices', async () => {
    const { folder, hear } = await prepare('en-US', 3)
    await useDubPacks(join(folder, 'other'), [])
    const { turns, diarizer, notes, transcript } = await hear()
    expect([turns, diarizer]).toEqual([undefined, null])
    expect(transcript.words.length).toBeGreaterThan(20)
    expect(notes).toEqual([
      expect.stringMatching(/^speakers are not distinguished, .*`reelwright models pull speaker-embedding`$/),
    ])
  })

  it('has one speaker, and the reason in a note, where they cannot be found; an end of the task is none', async () => {
    const { folder, hear } = await prepare('en-US', 2)
    const packs = join(folder, 'broken')
    await useDubPacks(packs)
    const models = join(packs, 'packs')
    for (const name of await readdir(models, { recursive: true })) {
      const model = join(models, name)
      if (name.endsWith('speaker.onnx')) await writeFile(model, Buffer.alloc((await stat(model)).size))
    }
    const { turns, notes } = await hear()
    expect(turns).toBeUndefined()
    expect(notes).toEqual([
      expect.stringMatching(
        /^speakers are not distinguished, .*: the model speaker-embedding cannot be loaded/,
      ),
    ])
    const ended = new AbortController()
    ended.abort(new Error('cancelled'))
    await expect(hear('en-US', ended.signal)).rejects.toThrow('cancelled')
  })

  it('reports words that are not written in the language', async () => {
    const { services: stage, hear } = await prepare('zh-CN', 2)
    expect((await hear('th-TH')).notes).toEqual([expect.stringContaining('source_lang (th-TH)')])
    expect(String(stage.recogniser.heard[0]?.body)).toMatch(/name="language"\r\n\r\nth\r\n/)
  })
})

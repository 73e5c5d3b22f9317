import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openSpleeter } from '../../src/engines/speech/voice-separation.ts'
import { openTranscriptionService } from '../../src/engines/speech/transcription-service.ts'
import { openVoiceService } from '../../src/engines/speech/voice-service.ts'
import { resample } from '../../src/media/audio/resample.ts'
import { concatSamples } from '../../src/media/audio/windows.ts'
import { type MonoAudio, speechRate } from '../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { decodeLimits, hasSpeechFiles, neverAborted } from '../engines/speech/recordings.ts'
import { correlation } from '../recordings/find-sound.ts'
import { recordingLanguages } from '../recordings/sentences.ts'
import { canSpeak } from '../recordings/speak.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { type Dialogue, recordDialogue } from './dialogue.ts'
import { sourceRate, useDubPacks, writeDubSource } from './dub-source.ts'
import { type SpokenServices, startSpokenServices, type VoiceFault } from './spoken-services.ts'

// The stage itself: services that know what is said, and sources whose stems are known.

const options = { signal: neverAborted }
const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

describe.skipIf(!canSpeak)('the services of the stage', () => {
  let services: SpokenServices | undefined
  afterEach(async () => {
    await services?.[Symbol.asyncDispose]()
    services = undefined
  })
  const start = async (dialogue: Dialogue) => (services = await startSpokenServices([dialogue]))

  const hear = async ({ samples, rate }: MonoAudio) => {
    await using recogniser = openTranscriptionService()
    return await recogniser.recognise(resample({ samples, rate }, speechRate), options)
  }
  /** Speaks a text as the first speaker of a dialogue by default. */
  const speakAs = async ({ samples, turns }: Dialogue, text: string, turn = 0) => {
    const { start: from = 0, end = 0 } = turns[turn] ?? {}
    const reference = { samples: samples.slice(from * speechRate, end * speechRate), rate: speechRate }
    await using cloner = openVoiceService({ scratch: '' })
    return await cloner.speak(
      { text, language: 'en-US', reference: { ...reference, text: 'So.', language: 'en-US' }, speed: 1 },
      options,
    )
  }

  it.each(sampleCases(recordingLanguages))(
    'know what two people say in %s, by its time',
    async (language) => {
      const dialogue = await recordDialogue({ language, sentences: 4 })
      await start(dialogue)
      expect(new Set(dialogue.turns.map(({ speaker }) => speaker))).toEqual(new Set([0, 1]))
      for (const [index, { start: from, end }] of dialogue.turns.entries()) {
        const samples = dialogue.samples.slice((from - 0.2) * speechRate, (end + 0.2) * speechRate)
        const { text, timed, confidence } = await hear({
          samples: samples.map((sample) => sample / 2),
          rate: speechRate,
        })
        expect(letters(text)).toBe(letters(dialogue.sentences[index] ?? ''))
        expect(timed).toBe(true)
        expect(confidence).toBeGreaterThan(0.9)
      }
    },
  )

  it('speak with the voice of a reference, the same each time, and know what was spoken', async () => {
    const dialogue = await recordDialogue({ language: 'en-US', sentences: 4 })
    const { requests } = await start(dialogue)
    const text = 'A quick answer to a long question.'
    const [one, again, other] = [
      await speakAs(dialogue, text),
      await speakAs(dialogue, text),
      await speakAs(dialogue, text, 2),
    ]
    expect(again).toEqual(one)
    expect(other.samples).not.toEqual(one.samples)
    expect(requests.map(({ speaker, attempt }) => [speaker, attempt])).toEqual([
      [0, 0],
      [0, 1],
      [1, 2],
    ])
    for (const sound of [one, other]) expect((await hear(sound)).text).toBe(text)
    // Without a part of its start, louder.
    const trimmed = { ...one, samples: one.samples.slice(900).map((sample) => 1.5 * sample) }
    expect((await hear(trimmed)).text).toBe(text)
    expect((await hear({ samples: new Float32Array(speechRate), rate: speechRate })).text).toBe('')
  })

  it('speak with a voice by its name', async () => {
    const { voice, requests } = await start(await recordDialogue({ language: 'en-US', sentences: 4 }))
    const response = await fetch(`${voice.origin}/v1/audio/speech`, {
      method: 'POST',
      body: JSON.stringify({ model: 'espeak', input: 'Guten Abend.', voice: 'de' }),
    })
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect(requests).toEqual([{ text: 'Guten Abend.', attempt: 0, voice: 'de' }])
  })

  it('make mistakes', async () => {
    const dialogue = await recordDialogue({ language: 'en-US', sentences: 4 })
    const stage = await start(dialogue)
    const text = 'Seven screws hold the brackets in place.'
    const usual = await speakAs(dialogue, text)
    const withFault = async (fault: VoiceFault) => {
      stage.faultOf = () => fault
      return await speakAs(dialogue, text)
    }
    await expect(withFault('refuse')).rejects.toMatchObject({ code: 6401 })
    await expect(withFault('silence')).rejects.toMatchObject({ code: 6401 })
    expect((await hear(await withFault('repeat'))).text).toBe(`${text} ${text}`)
    expect((await hear(await withFault('drop'))).text).toBe('Seven hold brackets place.')
    const [long, short] = [await withFault('long'), await withFault('short')]
    expect(long.samples.length).toBeGreaterThan(1.7 * usual.samples.length)
    expect(short.samples.length).toBeLessThan(0.5 * usual.samples.length)
    for (const sound of [long, short]) expect((await hear(sound)).text).toBe(text)
    const before = stage.voice.heard.length
    const late = withFault('slow')
    await stage.voice.hears(before + 1)
    stage.release()
    expect(await late).toEqual(usual)
  })
})

describe.skipIf(!canSpeak || !hasSpeechFiles)('a source of the stage (REELWRIGHT_TESTDATA)', () => {
  it.each(sampleCases(['audio', 'video'] as const, 1))('is separated into its stems: %s', async (kind) => {
    const folder = await scratchFolder()
    await useDubPacks(folder)
    const dialogue = await recordDialogue({ language: 'fr-FR', sentences: soakSize(2, 4) })
    const source = await writeDubSource(folder, dialogue, { kind })
    await using separator = await openSpleeter(neverAborted)
    const parts: { voice: Float32Array; music: Float32Array }[] = []
    const { seconds } = dialogue.truth
    for await (const { voice, music } of separator.separate(
      { path: source.path, mono: false, seconds },
      decodeLimits,
    ))
      parts.push({ voice: voice.slice(), music: music?.slice() ?? new Float32Array() })
    const likeness = (stem: 'voice' | 'music', whole: Float32Array) => {
      const all = concatSamples(parts.map((part) => part[stem]))
      const left = all.filter((_, at) => at % 2 === 0)
      const found = resample({ samples: left, rate: separator.rate }, sourceRate)
      return correlation({ whole, from: 0 }, found.subarray(0, whole.length), 1)
    }
    const left = source.music?.filter((_, at) => at % 2 === 0) ?? new Float32Array()
    expect(likeness('voice', source.voice)).toBeGreaterThan(0.98)
    expect(likeness('music', left)).toBeGreaterThan(0.98)
    const plain = await writeDubSource(folder, dialogue, { kind, music: 0, name: 'plain' })
    expect(plain.music).toBeNull()
    expect(plain.path).toBe(join(folder, `plain.${kind === 'video' ? 'mp4' : 'wav'}`))
  })
})

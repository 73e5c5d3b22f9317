import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLanguageIdentifier } from '../../../src/engines/speech/identify-language.ts'
import {
  openDenoiser,
  openDenoisingSeparator,
  openSpleeter,
} from '../../../src/engines/speech/voice-separation.ts'
import { openDiarizer, openSpeakerEmbedder } from '../../../src/engines/speech/diarization.ts'
import { localRecogniserModels, openLocalRecogniser } from '../../../src/engines/speech/sherpa/recogniser.ts'
import { resolvePack } from '../../../src/engines/packs/resolve.ts'
import { copyFile } from 'node:fs/promises'
import { soakSize } from '../../soak-size.ts'
import { generateMedia, scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import {
  hasSpeechFiles,
  inChunks,
  joined,
  mixed,
  neverAborted,
  noise,
  decodeLimits,
  silence,
  useSpeechPacks,
  voiceOf,
  writeSound,
} from './recordings.ts'
import {
  writeFakePack,
  senseVoice,
  senseVoiceTokens,
  speakerEmbedding,
  stem,
  whisperDecoder,
  whisperEncoder,
} from './fake-speech-models.ts'

const folder = await scratchFolder()
const mirror = join(folder, 'mirror')

describe('language identification by Whisper', () => {
  async function identify(
    sound: Float32Array,
    decoder = whisperDecoder({ 50_260: 4, 50_266: 3, 50_259: 2 }),
  ) {
    const files = { 'tiny-encoder.int8.onnx': whisperEncoder(), 'tiny-decoder.int8.onnx': decoder }
    useSpeechPacks(folder, await writeFakePack(mirror, 'whisper-tiny', files), mirror)
    await using identifier = await openLanguageIdentifier('whisper-tiny', neverAborted)
    return { name: identifier.name, candidates: await identifier.identify(sound, { signal: neverAborted }) }
  }

  it('returns the five most likely languages with their probabilities', async () => {
    const { name, candidates } = await identify(noise(3, 0.1))
    expect(name).toBe('whisper-tiny')
    expect(candidates).toHaveLength(5)
    const order = candidates.map(({ probability }) => probability)
    expect(order).toEqual(order.toSorted((one, other) => other - one))
    expect(order.reduce((sum, each) => sum + each, 0)).toBeLessThan(1)
    // The features are negative on average, which reverses the order of the logits.
    expect(candidates.map(({ language }) => language)).not.toContain('zh')
  })

  it('returns other probabilities for another sound', async () => {
    const [one, other] = [await identify(noise(30, 0.3)), await identify(silence(5))]
    expect(one.candidates[0]?.language).toBe('zh')
    expect(one.candidates[0]?.probability).not.toBe(other.candidates[0]?.probability)
  })

  it('rejects a model of another kind, and outputs that are not numbers', async () => {
    useSpeechPacks(
      folder,
      await writeFakePack(mirror, 'whisper-tiny', {
        'tiny-encoder.onnx': stem(0, 1),
        'tiny-decoder.onnx': stem(0, 1),
      }),
      mirror,
    )
    await expect(openLanguageIdentifier('whisper-tiny', neverAborted)).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('whisper-tiny cannot identify languages'),
    })
    await expect(identify(noise(1, 0.1), whisperDecoder({ 50_259: NaN }))).rejects.toMatchObject({
      code: 6401,
    })
    await expect(identify(noise(1, 0.1), { ...stem(0, 1) })).rejects.toMatchObject({ code: 6402 })
    useSpeechPacks(
      folder,
      await writeFakePack(mirror, 'whisper-tiny', {
        'tiny-encoder.onnx': 'no model',
        'tiny-decoder.onnx': 'none',
      }),
      mirror,
    )
    await expect(openLanguageIdentifier('whisper-tiny', neverAborted)).rejects.toMatchObject({ code: 6401 })
    useSpeechPacks(
      folder,
      await writeFakePack(mirror, 'whisper-tiny', { 'tiny-encoder.onnx': whisperEncoder() }),
      mirror,
    )
    await expect(openLanguageIdentifier('whisper-tiny', neverAborted)).rejects.toMatchObject({
      code: 6016,
      message: expect.stringContaining('decoder.onnx'),
    })
  })
})

describe('voice separation by two stems', () => {
  it('assigns each frequency to one stem, over the whole length of the sound', async () => {
    // Bins of 44100 / 4096 Hz: below 2 kHz voice, above music.
    const files = { 'vocals.fp16.onnx': stem(0, 186), 'accompaniment.fp16.onnx': stem(186, 1024) }
    useSpeechPacks(folder, await writeFakePack(mirror, 'voice-separation', files), mirror)
    // Two or three windows of the model, each of 12 s.
    const seconds = soakSize(14, 26)
    const source = `aevalsrc='0.3*sin(2*PI*500*t)+0.2*sin(2*PI*5000*t)|0.1*sin(2*PI*500*t)':s=44100:d=${seconds}`
    const path = await generateMedia(join(folder, 'song.wav'), [
      '-f',
      'lavfi',
      '-i',
      source,
      '-c:a',
      'pcm_f32le',
    ])
    await using separator = await openSpleeter(neverAborted)
    expect(separator).toMatchObject({ name: 'spleeter', rate: 44_100, channels: 2, keepsMusic: true })
    let at = 0
    const faults = { voice: 0, music: 0 }
    for await (const { voice, music } of separator.separate({ path, mono: false, seconds }, decodeLimits)) {
      for (let sample = 0; sample < voice.length; sample += 2) {
        const time = (at + sample / 2) / 44_100
        if (time < 0.1 || time > seconds - 0.1) continue
        const low = Math.sin(2 * Math.PI * 500 * time)
        const high = Math.sin(2 * Math.PI * 5000 * time)
        faults.voice = Math.max(
          faults.voice,
          Math.abs((voice[sample] ?? 0) - 0.3 * low),
          Math.abs((voice[sample + 1] ?? 0) - 0.1 * low),
        )
        faults.music = Math.max(faults.music, Math.abs((music?.[sample] ?? 0) - 0.2 * high))
      }
      at += voice.length / 2
    }
    expect(at).toBe(seconds * 44_100)
    expect(faults.voice).toBeLessThan(0.01)
    expect(faults.music).toBeLessThan(0.01)
  })
})

describe('sherpa-onnx', () => {
  it('returns words with times and the language of a SenseVoice model', async () => {
    const tokens = senseVoiceTokens.map((token, at) => `${token} ${at}\n`).join('')
    const files = { 'sense.model.onnx': senseVoice(), 'sense.tokens.txt': tokens }
    useSpeechPacks(folder, await writeFakePack(mirror, 'sense-voice', files), mirror)
    const [model] = localRecogniserModels
    if (!model) throw new TypeError('no recogniser')
    await using recogniser = await openLocalRecogniser(model, { signal: neverAborted, language: 'en-US' })
    const transcript = await recogniser.recognise(noise(0.3, 0.1), { signal: neverAborted })
    expect(transcript).toMatchObject({ text: 'hello world中', language: 'en', timed: true })
    expect(transcript.words.map(({ text }) => text)).toEqual(['hello', 'world', '中'])
    expect(transcript.words.map(({ start }) => start.toFixed(2))).toEqual(['0.00', '0.18', '0.24'])
  })

  it('exits if the model has no metadata, which is reported', async () => {
    const { metadata: _, ...without } = senseVoice()
    const files = { 'sense.model.onnx': without, 'sense.tokens.txt': 'a 0\n' }
    useSpeechPacks(folder, await writeFakePack(mirror, 'sense-voice', files), mirror)
    const [model] = localRecogniserModels
    if (!model) throw new TypeError('no recogniser')
    await expect(openLocalRecogniser(model, { signal: neverAborted })).rejects.toMatchObject({
      code: 6401,
      retryable: false,
      message: expect.stringContaining('the model sense-voice cannot be loaded'),
    })
  })

  it.skipIf(!hasSpeechFiles)(
    'recognises a speaker again after a long silence (REELWRIGHT_TESTDATA)',
    async () => {
      const packs = await writeFakePack(mirror, 'speaker-embedding', { 'speaker.onnx': speakerEmbedding })
      const segmentation = 'pyannote-segmentation-3.int8.onnx'
      await copyFile(join(testdata('models') ?? '', segmentation), join(mirror, segmentation))
      useSpeechPacks(folder, packs, mirror)
      await resolvePack('speaker-embedding')
      await using embedder = await openSpeakerEmbedder(neverAborted)
      const [one, other] = [await voiceOf('austen'), await voiceOf('kennedy')]
      const [first, again, third] = [one.subarray(0, 56_000), one.subarray(56_000), other]
      const vectors = [
        await embedder?.embed(first, { signal: neverAborted }),
        await embedder?.embed(again, { signal: neverAborted }),
        await embedder?.embed(third, { signal: neverAborted }),
      ]
      const similarity = (a: number, b: number) =>
        vectors[a]?.reduce((sum, value, at) => sum + value * (vectors[b]?.[at] ?? 0), 0)
      expect(similarity(0, 1)).toBeGreaterThan(similarity(0, 2) ?? 1)
      await using splitter = await openDiarizer(neverAborted)
      expect(splitter.name).toBe('pyannote-segmentation with speaker-embedding')
      const turns = await splitter.diarize(inChunks(joined(one, silence(12), one)), { signal: neverAborted })
      expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(1)
    },
  )
})

describe.skipIf(!hasSpeechFiles)('denoising speech (REELWRIGHT_TESTDATA)', () => {
  it('keeps the voice in place and removes most of the noise', async () => {
    useSpeechPacks(folder)
    const voice = joined(silence(1), await voiceOf('austen'))
    const hiss = noise(voice.length / 16_000, 0.01)
    await using denoiser = await openDenoiser(neverAborted)
    const clean = await denoiser.denoise(mixed(voice, hiss), { signal: neverAborted })
    expect(clean).toHaveLength(voice.length)
    const level = (sound: Float32Array) => Math.hypot(...sound.subarray(0, 14_000))
    expect(level(clean)).toBeLessThan(level(hiss) / 5)
    expect(cosineSimilarity(clean, voice)).toBeGreaterThan(0.95)
    expect(cosineSimilarity(clean, voice)).toBeGreaterThan(
      cosineSimilarity(mixed(voice, noise(9, 0.05)), voice),
    )
  })

  // Spleeter and the denoiser join their windows the same way.
  it.each(soakSize<readonly number[]>([], [5]))(
    'of a long file with %i readings has no audible seams and returns no music',
    async (readings) => {
      useSpeechPacks(folder)
      const one = await voiceOf('reader')
      // The windows of the model have 30 s.
      const long = joined(...Array.from({ length: readings }, () => one))
      const path = await writeSound(join(folder, 'long.wav'), mixed(long, noise(long.length / 16_000, 0.005)))
      await using cleaner = await openDenoisingSeparator(neverAborted)
      expect(cleaner).toMatchObject({ keepsMusic: false, channels: 1, rate: 16_000 })
      const parts: Float32Array[] = []
      const seconds = long.length / 16_000
      for await (const { voice, music } of cleaner.separate({ path, mono: true, seconds }, decodeLimits)) {
        expect(music).toBeNull()
        parts.push(voice)
      }
      expect(joined(...parts)).toHaveLength(long.length)
      expect(cosineSimilarity(joined(...parts), long)).toBeGreaterThan(0.95)
    },
  )
})

/** Cosine similarity of two sounds, -1 to 1. */
function cosineSimilarity(one: Float32Array, other: Float32Array): number {
  let [both, ours, theirs] = [0, 0, 0]
  for (const [at, sample] of one.entries()) {
    both += sample * (other[at] ?? 0)
    ours += sample ** 2
    theirs += (other[at] ?? 0) ** 2
  }
  return both / Math.sqrt(ours * theirs)
}

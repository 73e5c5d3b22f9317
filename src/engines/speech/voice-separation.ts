import { Stft } from '../../media/audio/spectrum.ts'
import { processOverlapping } from '../../media/audio/windows.ts'
import { speechRate } from '../../media/speech/speech-types.ts'
import { decodeSound, type Sound } from '../ffmpeg/sound.ts'
import { decodeVoice } from '../ffmpeg/voice-sound.ts'
import { type OnnxModel, openOnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/use.ts'
import { findModelFiles } from './sherpa/model-files.ts'
import { parseAudio, startSherpaProcess } from './sherpa/process.ts'
import type { SpeechCallOptions } from './speech-engines.ts'

/** A stretch of sound, its channels in turn. */
interface SeparatedAudio {
  readonly voice: Float32Array
  /** What is no voice; null where the engine cannot tell it. */
  readonly music: Float32Array | null
}

/** Separates voices from all else. */
export interface VoiceSeparator extends AsyncDisposable {
  readonly name: string
  /** Of what it answers. */
  readonly rate: number
  readonly channels: 1 | 2
  readonly keepsMusic: boolean
  /** The first sound of a file in stretches, as long in all as it is said to be. */
  separate(
    sound: Sound,
    wish: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): AsyncGenerator<SeparatedAudio>
}

/** Spleeter hears stereo of 44.1 kHz by spectra of 4096 samples, 512 of them at once, of which it is told 1024 bins. */
const spleeterRate = 44_100
const fftSize = 4096
const modelFrames = 512
const modelBins = 1024

/** Opens Spleeter for two stems; 6401 where it, or what runs it, is not there. */
export async function openSpleeter(signal: AbortSignal): Promise<VoiceSeparator> {
  const pack = 'voice-separation'
  const files = await findModelFiles(pack, await resolvePack(pack, { signal }), ['vocals', 'accompaniment'])
  await using opened = new AsyncDisposableStack()
  const voice = opened.use(await openOnnxModel(pack, files.vocals, 2))
  const music = opened.use(await openOnnxModel(pack, files.accompaniment, 2))
  const stft = new Stft(fftSize)
  // Two channels: a second is shared by neighbouring pieces.
  const pieces = { size: 2 * stft.lengthOf(modelFrames), overlap: 2 * spleeterRate }
  const kept = opened.move()
  return {
    name: 'spleeter',
    rate: spleeterRate,
    channels: 2,
    keepsMusic: true,
    async *separate(sound, wish) {
      const given = decodeSound({ ...sound, rate: spleeterRate }, wish)
      const work = async (piece: Float32Array) => {
        wish.signal.throwIfAborted()
        return await extractVoice(piece, { stft, voice, music })
      }
      for await (const { given: original, made } of processOverlapping(given, pieces, work)) {
        yield { voice: made, music: original.map((sample, at) => sample - (made[at] ?? 0)) }
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The voice in a piece of stereo: of each frequency as much as is the voice's share of both stems' energy. */
async function extractVoice(
  piece: Float32Array,
  { stft, voice, music }: { readonly stft: Stft; readonly voice: OnnxModel; readonly music: OnnxModel },
): Promise<Float32Array> {
  const spectra = [0, 1].map((channel) => {
    const samples = Float32Array.from({ length: piece.length / 2 }, (_, at) => piece[2 * at + channel] ?? 0)
    return stft.forward(samples, modelFrames)
  })
  const heard = new Float32Array(2 * modelFrames * modelBins)
  for (const [channel, spectrum] of spectra.entries()) {
    for (let at = 0; at < modelFrames * modelBins; at += 1) {
      const place = 2 * (Math.floor(at / modelBins) * stft.bins + (at % modelBins))
      heard[channel * modelFrames * modelBins + at] = Math.hypot(
        spectrum[place] ?? 0,
        spectrum[place + 1] ?? 0,
      )
    }
  }
  const [voices, others] = [await estimateStem(voice, heard), await estimateStem(music, heard)]
  const made = new Float32Array(piece.length)
  for (const [channel, spectrum] of spectra.entries()) {
    for (let frame = 0; frame < modelFrames; frame += 1) {
      for (let bin = 0; bin < stft.bins; bin += 1) {
        const at = (channel * modelFrames + frame) * modelBins + bin
        const [one, other] = [(voices[at] ?? 0) ** 2, (others[at] ?? 0) ** 2]
        const share = bin < modelBins ? (one + 5e-11) / (one + other + 1e-10) : 0
        const place = 2 * (frame * stft.bins + bin)
        spectrum[place] = (spectrum[place] ?? 0) * share
        spectrum[place + 1] = (spectrum[place + 1] ?? 0) * share
      }
    }
    for (const [at, sample] of stft.inverse(spectrum, modelFrames).entries()) made[2 * at + channel] = sample
  }
  return made
}

async function estimateStem({ onnx, session, run }: OnnxModel, heard: Float32Array): Promise<Float32Array> {
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]]
  const told = await run({ [input]: new onnx.Tensor('float32', heard, [2, 1, modelFrames, modelBins]) })
  return told[output]?.data as Float32Array
}

/** Sound that the denoiser hears at once, and what neighbours share, samples. */
const denoiserWindows = { size: 30 * speechRate, overlap: speechRate }

/** Opens the denoiser in place of a separator: it tells the voice alone. */
export async function openDenoisingSeparator(signal: AbortSignal): Promise<VoiceSeparator> {
  const denoiser = await openDenoiser(signal)
  return {
    name: denoiser.name,
    rate: speechRate,
    channels: 1,
    keepsMusic: false,
    async *separate({ path, seconds }, wish) {
      const given = decodeVoice(path, { ...wish, seconds })
      const work = (piece: Float32Array) => denoiser.denoise(piece, wish)
      for await (const { made } of processOverlapping(given, denoiserWindows, work))
        yield { voice: made, music: null }
    },
    [Symbol.asyncDispose]: () => denoiser[Symbol.asyncDispose](),
  }
}

/** Takes what is no voice off speech. */
interface Denoiser extends AsyncDisposable {
  readonly name: string
  /** The voice in sound of 16 kHz, as long as that. */
  denoise(sound: Float32Array, wish: SpeechCallOptions): Promise<Float32Array>
}

/** Opens GTCRN; 6401 where it, or what runs it, is not there. */
export async function openDenoiser(signal: AbortSignal): Promise<Denoiser> {
  const model = await resolvePack('denoising', { signal })
  const settings = { model: { gtcrn: { model }, numThreads: 1, provider: 'cpu' } }
  const sherpa = await startSherpaProcess({ model: 'gtcrn', kind: 'denoiser', settings }, { signal })
  return {
    name: 'gtcrn',
    async denoise(sound, { signal: until }) {
      const told = await sherpa.request({ samples: sound, rate: speechRate }, until)
      const { samples } = parseAudio(told, { model: 'gtcrn', rate: speechRate })
      const voice = new Float32Array(sound.length)
      voice.set(samples.subarray(0, sound.length))
      return voice
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}

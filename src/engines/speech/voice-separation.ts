import { Stft } from '../../media/audio/spectrum.ts'
import { processOverlapping } from '../../media/audio/windows.ts'
import { speechRate } from '../../media/speech/speech-types.ts'
import { decodeSound, decodeVoice, type StereoSound } from '../ffmpeg/sound.ts'
import { type OnnxModel, openOnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/resolve.ts'
import { findModelFiles } from './sherpa/model-files.ts'
import { parseAudio, startSherpaProcess } from './sherpa/process.ts'
import type { SpeechCallOptions } from './speech-engines.ts'

/** A chunk of separated sound, channels interleaved. */
interface SeparatedAudio {
  readonly voice: Float32Array
  /** The accompaniment; null if the engine does not return it. */
  readonly music: Float32Array | null
}

/** Separates voices from other sound. */
export interface VoiceSeparator extends AsyncDisposable {
  readonly name: string
  /** Sample rate of its output, Hz. */
  readonly rate: number
  readonly channels: 1 | 2
  readonly keepsMusic: boolean
  /** Separates the first sound of a file. Yields chunks whose total length is `sound.seconds`. */
  separate(
    sound: StereoSound,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): AsyncGenerator<SeparatedAudio>
}

/** Spleeter takes stereo at 44.1 kHz as 512 magnitude spectra of 4096 samples, the lowest 1024 bins of each. */
const spleeterRate = 44_100
const fftSize = 4096
const modelFrames = 512
const modelBins = 1024

/** Opens Spleeter with two stems. Throws 6401 if it or ONNX Runtime is missing. */
export async function openSpleeter(signal: AbortSignal): Promise<VoiceSeparator> {
  const pack = 'voice-separation'
  const files = await findModelFiles(pack, await resolvePack(pack, { signal }), ['vocals', 'accompaniment'])
  await using opened = new AsyncDisposableStack()
  const voice = opened.use(await openOnnxModel(pack, files.vocals, 2))
  const music = opened.use(await openOnnxModel(pack, files.accompaniment, 2))
  const kept = opened.move()
  return {
    name: 'spleeter',
    rate: spleeterRate,
    channels: 2,
    keepsMusic: true,
    async *separate(sound, options) {
      const samples = decodeSound({ ...sound, rate: spleeterRate }, options)
      const buffers = new WindowBuffers()
      // Neighbouring windows share one second (of two channels).
      const pieces = { size: 2 * buffers.samples.length, overlap: 2 * spleeterRate }
      const separateWindow = async (piece: Float32Array) => {
        options.signal.throwIfAborted()
        return await extractVoice(piece, { buffers, voice, music })
      }
      for await (const { input, output } of processOverlapping(samples, pieces, separateWindow)) {
        yield { voice: output, music: input.map((sample, at) => sample - (output[at] ?? 0)) }
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Arrays for one window at a time. With new ones for each window, garbage of up to 60 MiB is kept until the next collection. */
class WindowBuffers {
  readonly stft = new Stft(fftSize)
  /** Samples of one channel. */
  readonly samples = new Float32Array(this.stft.lengthOf(modelFrames))
  /** Spectra of each channel. */
  readonly spectra = [0, 1].map(() => new Float32Array(2 * modelFrames * this.stft.bins))
  /** Magnitudes of the lowest bins, channel by channel. */
  readonly magnitudes = new Float32Array(2 * modelFrames * modelBins)
}

interface SeparationParts {
  readonly buffers: WindowBuffers
  readonly voice: OnnxModel
  readonly music: OnnxModel
}

/** Voice in a window of interleaved stereo: a soft mask by the voice's share of the energy of both stems (Spleeter). */
async function extractVoice(
  piece: Float32Array,
  { buffers, voice, music }: SeparationParts,
): Promise<Float32Array> {
  const { stft, samples, spectra, magnitudes } = buffers
  const size = modelFrames * modelBins
  for (const [channel, spectrum] of spectra.entries()) {
    readChannel(piece, channel, samples)
    stft.forward(samples, spectrum)
    writeMagnitudes(magnitudes.subarray(channel * size, (channel + 1) * size), spectrum, stft.bins)
  }
  const [voices, others] = [await estimateStem(voice, magnitudes), await estimateStem(music, magnitudes)]
  const voiceSamples = new Float32Array(piece.length)
  for (const [channel, spectrum] of spectra.entries()) {
    const [from, to] = [channel * size, (channel + 1) * size]
    applyMask(spectrum, { voices: voices.subarray(from, to), others: others.subarray(from, to) }, stft.bins)
    writeChannel(voiceSamples, channel, stft.inverse(spectrum))
  }
  return voiceSamples
}

// Loops over indices, as iterators allocate an object for each of millions of samples.

/** Reads one channel of interleaved stereo into `samples`. */
function readChannel(stereo: Float32Array, channel: number, samples: Float32Array): void {
  for (let at = 0; at < samples.length; at += 1) samples[at] = stereo[2 * at + channel] ?? 0
}

function writeChannel(stereo: Float32Array, channel: number, samples: Float32Array): void {
  for (let at = 0; at < samples.length; at += 1) stereo[2 * at + channel] = samples[at] ?? 0
}

/** Writes the magnitudes of the lowest bins of all frames. `bins`: complex bins of a frame of the spectrum. */
function writeMagnitudes(magnitudes: Float32Array, spectrum: Float32Array, bins: number): void {
  for (let frame = 0; frame < modelFrames; frame += 1) {
    for (let bin = 0; bin < modelBins; bin += 1) {
      const at = 2 * (frame * bins + bin)
      const [real, imaginary] = [spectrum[at] ?? 0, spectrum[at + 1] ?? 0]
      magnitudes[frame * modelBins + bin] = Math.sqrt(real * real + imaginary * imaginary)
    }
  }
}

/** Multiplies a spectrum by the voice's share of the energy of both stems, 0 above the bins of the model. */
function applyMask(
  spectrum: Float32Array,
  { voices, others }: { readonly voices: Float32Array; readonly others: Float32Array },
  bins: number,
): void {
  for (let frame = 0; frame < modelFrames; frame += 1) {
    const begin = 2 * frame * bins
    for (let bin = 0; bin < modelBins; bin += 1) {
      const at = frame * modelBins + bin
      const [one, other] = [(voices[at] ?? 0) ** 2, (others[at] ?? 0) ** 2]
      const share = (one + 5e-11) / (one + other + 1e-10)
      const binAt = begin + 2 * bin
      spectrum[binAt] = (spectrum[binAt] ?? 0) * share
      spectrum[binAt + 1] = (spectrum[binAt + 1] ?? 0) * share
    }
    spectrum.fill(0, begin + 2 * modelBins, begin + 2 * bins)
  }
}

async function estimateStem(
  { onnx, session, run }: OnnxModel,
  magnitudes: Float32Array,
): Promise<Float32Array> {
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]]
  const result = await run({
    [input]: new onnx.Tensor('float32', magnitudes, [2, 1, modelFrames, modelBins]),
  })
  return result[output]?.data as Float32Array
}

/** Longest window of the denoiser, and overlap of windows, seconds. */
const denoiserWindows = { longest: 30, overlap: 1 }

/** Opens the denoiser as a separator that returns the voice only. */
export async function openDenoisingSeparator(signal: AbortSignal): Promise<VoiceSeparator> {
  const denoiser = await openDenoiser(signal)
  return {
    name: denoiser.name,
    rate: speechRate,
    channels: 1,
    keepsMusic: false,
    async *separate({ path, seconds }, options) {
      const samples = decodeVoice(path, { ...options, seconds })
      const { longest, overlap } = denoiserWindows
      // A short sound is one window, which is not padded to the longest.
      const length = Math.min(longest, Math.max(2 * overlap, Math.ceil(seconds)))
      const windows = { size: length * speechRate, overlap: overlap * speechRate }
      const separateWindow = (piece: Float32Array) => denoiser.denoise(piece, options)
      for await (const { output } of processOverlapping(samples, windows, separateWindow))
        yield { voice: output, music: null }
    },
    [Symbol.asyncDispose]: () => denoiser[Symbol.asyncDispose](),
  }
}

/** Removes noise from speech. */
interface Denoiser extends AsyncDisposable {
  readonly name: string
  /** Returns the voice in mono sound at 16 kHz, with the same length. */
  denoise(sound: Float32Array, options: SpeechCallOptions): Promise<Float32Array>
}

/** Opens GTCRN. Throws 6401 if it or sherpa-onnx is missing. */
export async function openDenoiser(signal: AbortSignal): Promise<Denoiser> {
  const model = await resolvePack('denoising', { signal })
  const settings = { model: { gtcrn: { model }, numThreads: 1, provider: 'cpu' } }
  const sherpa = await startSherpaProcess({ model: 'gtcrn', kind: 'denoiser', settings }, { signal })
  return {
    name: 'gtcrn',
    async denoise(sound, { signal: requestSignal }) {
      const result = await sherpa.request({ samples: sound, rate: speechRate }, requestSignal)
      const { samples } = parseAudio(result, { model: 'gtcrn', rate: speechRate })
      const voice = new Float32Array(sound.length)
      voice.set(samples.subarray(0, sound.length))
      return voice
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}

import { MediaError } from '../../contract/errors.ts'
import type { StagedFile } from '../../contract/operation.ts'
import { extensionOf } from '../../contract/file-kind.ts'
import { duckingEnvelope, type SampleSpan } from '../../media/dubbing/ducking.ts'
import { fileUrl, runRaw } from '../ffmpeg/run.ts'
import { mixCeiling, padTo, soundRate, truePeakLimiter } from '../ffmpeg/sound-filters.ts'
import { decodeSound, pcmInput } from '../ffmpeg/sound.ts'
import { maxTruePeak, measureLevel, measureLoudness, type SoundLevel } from '../ffmpeg/true-peak.ts'
import { mixPcm } from '../timeline/mix-pcm.ts'
import { writeComplete } from './complete-file.ts'
import { dubComment } from './lay-lines.ts'

/** Sounds to mix. */
export interface DubMix {
  /** WAV of `layLines`. */
  readonly dub: string
  /** Spans of the lines in it. */
  readonly spans: readonly SampleSpan[]
  /** Music to keep, and the voices that it accompanied: results of `separateSource`. */
  readonly background?:
    | { readonly music: string; readonly voice: string; readonly seconds: number }
    | undefined
}

interface MixDubOptions {
  /** File to write: .m4a (AAC) or .mp3. */
  readonly path: string
  /** File whose loudness the mix gets. */
  readonly source: StagedFile
  /** Length of the mix, samples at 48 kHz. */
  readonly duration: number
  readonly signal: AbortSignal
  /** Called with 0 to 1, never decreasing. */
  readonly onShare?: (share: number) => void
}

/** Encoder options by extension. */
const codecs: Readonly<Record<string, readonly string[]>> = {
  '.m4a': ['-c:a', 'aac', '-b:a', '192k'],
  '.mp3': ['-c:a', 'libmp3lame', '-b:a', '192k'],
}

/** Largest difference to the loudness of the source that is not corrected by another encoding, LU. */
const toleranceLu = 0.5

/** Encodings at most. The first meets the loudness unless music is nearly as loud as speech, the second usually both. */
const maxEncodings = 5

/** Least increase of the loudness by a gain, LU per dB: below it, the limit of the peaks takes what a further gain adds. */
const minEffect = 0.25

/** Additional headroom of each further encoding, dB: codecs add different peaks every time. */
const peakMargin = 0.2

/** Largest gain, dB: sound that is hardly audible is not raised to full level. */
const maxGainDb = 40

/** Time limits, ms: a base, and an addition per second of sound. */
const [startMs, secondMs] = [120_000, 1000]

/**
 * Mixes a dub with music: the dub gets the loudness of the voices that it replaces, the music is lower under its lines (see
 * `duckingEnvelope`), and the mix gets the loudness of the source, with a true peak of at most -1 dBTP. Music keeps its times,
 * also where the picture is held: it ends earlier than a longer output, with a fade of a second, and silence follows. The
 * mix has one channel if the source has one, otherwise two. Returns notes for the user.
 */
export async function mixDub(mix: DubMix, options: MixDubOptions): Promise<string[]> {
  const { source, signal, duration, onShare = () => {} } = options
  const timeoutMs = startMs + secondMs * (duration / soundRate)
  const measure = (path: string) => measureLoudness(path, { signal, timeoutMs })
  const target = await measure(source.path)
  const dub = await measure(mix.dub)
  const voice = mix.background && (await measure(mix.background.voice))
  onShare(0.2)
  const dubGain = dub === undefined || voice === undefined ? 0 : limitGain(voice - dub)
  return await writeComplete(options.path, async (path) => {
    // Where speech is not much louder than the music, the second encoding corrects this estimate.
    const speech = dub === undefined ? undefined : dub + dubGain + channelGainLu(source)
    let gain = target === undefined || speech === undefined ? 0 : limitGain(target - speech)
    let ceiling = mixCeiling
    let before: EncodedLoudness | undefined
    for (let encoding = 1; ; encoding += 1) {
      const gains = { dub: toLinear(dubGain + gain), music: toLinear(gain) }
      await encodeMix(mix, { ...options, path, gains, ceiling, timeoutMs })
      const level = await measureLevel(path, { signal, timeoutMs })
      onShare(0.2 + (0.8 * encoding) / (encoding + 1))
      const now = { gain, loudness: level.loudness ?? target ?? 0 }
      const difference = (target ?? now.loudness) - now.loudness
      gain = correctedGain(difference, now, before)
      const excess = level.truePeak - maxTruePeak
      if (encoding === maxEncodings || (gain === now.gain && excess <= 0)) {
        onShare(1)
        return levelNotes(level, difference)
      }
      if (excess > 0) ceiling -= excess + peakMargin
      before = now
    }
  })
}

/** Gain of an encoding, dB, and its loudness, LUFS. */
interface EncodedLoudness {
  readonly gain: number
  readonly loudness: number
}

/** Returns the gain of the next encoding, by the effect of the last change; the same one if no other is better. */
function correctedGain(
  difference: number,
  now: EncodedLoudness,
  before: EncodedLoudness | undefined,
): number {
  if (Math.abs(difference) <= toleranceLu) return now.gain
  const change = before ? now.gain - before.gain : 0
  const effect = before && change !== 0 ? (now.loudness - before.loudness) / change : 1
  return effect < minEffect ? now.gain : limitGain(now.gain + difference / Math.min(1, effect))
}

const limitGain = (decibels: number): number => Math.max(-maxGainDb, Math.min(maxGainDb, decibels))
const toLinear = (decibels: number): number => 10 ** (decibels / 20)

/** Increase of the loudness of the dub, which has one channel, in the channels of the mix, LU. */
function channelGainLu(source: StagedFile): number {
  return 10 * Math.log10(channelsOf(source))
}

function channelsOf({ facts, name }: StagedFile): 1 | 2 {
  const [sound] = facts?.audio ?? []
  if (!sound) throw new MediaError(6014, `${name} has no sound`, { hint: 'Use a file with sound.' })
  return sound.channels === 1 ? 1 : 2
}

/** Differences that are reported, LU. */
const audibleLu = 1

function levelNotes({ truePeak }: SoundLevel, difference: number): string[] {
  const notes: string[] = []
  if (Math.abs(difference) > audibleLu) {
    const direction = difference > 0 ? 'quieter' : 'louder'
    notes.push(`the sound is ${Math.abs(difference).toFixed(1)} LU ${direction} than the source`)
  }
  if (truePeak > maxTruePeak)
    notes.push(`the true peak of the sound is ${truePeak.toFixed(1)} dBTP, above ${maxTruePeak} dBTP`)
  return notes
}

interface EncodeMixOptions extends Pick<MixDubOptions, 'path' | 'source' | 'duration' | 'signal'> {
  /** Linear gains. */
  readonly gains: { readonly dub: number; readonly music: number }
  /** Peak limit, dB. */
  readonly ceiling: number
  readonly timeoutMs: number
}

async function encodeMix(mix: DubMix, options: EncodeMixOptions): Promise<void> {
  const { path, source, duration, ceiling, signal, timeoutMs } = options
  const mono = channelsOf(source) === 1 ? ['pan=mono|c0=c0'] : []
  const length = [padTo(duration / soundRate), truePeakLimiter(ceiling), `atrim=end_sample=${duration}`]
  await runRaw({
    args: [
      ...[...pcmInput, '-af', [...mono, ...length].join(',')],
      ...(codecs[extensionOf(path)] ?? []),
      ...['-metadata', `comment=${dubComment}`, fileUrl(path)],
    ],
    input: (ended) => mixPcm(streams(mix, { ...options, signal: AbortSignal.any([signal, ended]) })),
    ...{ signal, timeoutMs },
  })
}

/** Returns the dub, and the music with its gains. */
function streams(mix: DubMix, options: EncodeMixOptions): AsyncGenerator<Uint8Array>[] {
  const { duration, gains, signal, timeoutMs } = options
  const decode = (path: string, mono: boolean) =>
    decodeSound({ path, mono, seconds: duration / soundRate }, { signal, timeoutMs })
  const dub = applyGains(decode(mix.dub, true), (_, count) => new Float32Array(count).fill(gains.dub))
  if (!mix.background) return [dub]
  const { music, seconds } = mix.background
  const duck = duckingEnvelope(mix.spans, soundRate)
  const fade = endFade(Math.round(seconds * soundRate), duration)
  const gainsOf = (from: number, count: number) =>
    duck(from, count).map((gain, index) => gain * gains.music * fade(from + index))
  return [dub, applyGains(decode(music, false), gainsOf)]
}

/** Longest fade of music that ends before the output, samples: 1 s. A tenth of a second of silence has that fade. */
const fadeSamples = soundRate
const fadeRatio = 10

/** Returns the gain of music at a sample: 1, and a fade at its end if the output lasts longer. */
function endFade(end: number, duration: number): (at: number) => number {
  const length = Math.min(fadeSamples, fadeRatio * (duration - end))
  return length > 0 ? (at) => Math.min(1, Math.max(0, (end - at) / length)) : () => 1
}

/** Yields stereo sound multiplied by gains of its samples. */
async function* applyGains(
  sound: AsyncGenerator<Float32Array>,
  gainsOf: (from: number, count: number) => Float32Array,
): AsyncGenerator<Uint8Array> {
  let from = 0
  for await (const chunk of sound) {
    const count = chunk.length / 2
    const gains = gainsOf(from, count)
    for (let at = 0; at < chunk.length; at += 1) chunk[at] = (chunk[at] ?? 0) * (gains[at >> 1] ?? 1)
    yield new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    from += count
  }
}

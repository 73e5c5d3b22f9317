import type { VoiceLanguage } from '../../src/contract/languages.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { resample } from '../../src/engines/ffmpeg/resample.ts'
import { recogniseSurely } from '../../src/engines/speech/recognise-surely.ts'
import { readVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { backgroundOf, powerOf, type Background } from '../../src/media/speech/background.ts'
import { room } from '../../src/media/speech/reference.ts'
import { speechRate, type Recognised, type Samples, type Span } from '../../src/media/speech/spoken.ts'
import { orNothing, type Engines } from './engines.ts'

/** Rate at which a voice is handed on, Hz: the finest that an engine copies one at. */
const rate = 32_000

/** To decode half an hour takes seconds, ms. */
export const decodingMs = 300_000

/** How much before and after a span tells what is behind it, seconds. */
const around = 5

/** Noise behind a voice is taken off it where it is nearer to it than this; music always, dB. */
const nearNoise = 20

/** A span as it sounds without what is no voice, and what is said in it. */
export interface Listened extends Samples {
  readonly span: Span
  /** What took the voice out of what else is heard; null where nothing had to. */
  readonly separator: string | null
  /** What there is to know of what is left behind the voice. */
  readonly notes: readonly string[]
  readonly recognised: Recognised | undefined
}

interface Wish extends Pick<Engines, 'recogniser' | 'separate'> {
  /** Where somebody speaks in the recording. */
  readonly speech: readonly Span[]
  readonly language: VoiceLanguage
  /** Whether what is said is known: then it need not be heard. */
  readonly isGiven: boolean
  readonly signal: AbortSignal
}

/** Listens to a span of a recording. */
export async function listen(
  { path }: StagedFile,
  span: Span,
  { speech, separate, recogniser, language, isGiven, signal }: Wish,
): Promise<Listened> {
  const from = Math.max(0, span.start - around)
  const limits = { signal, timeoutMs: decodingMs }
  const near = await readVoice(path, { ...limits, rate, from, seconds: span.end + around - from })
  const spoken = speech.map(({ start, end }) => ({ start: start - from - room, end: end - from + room }))
  const background = backgroundOf(await resample({ samples: near, rate }, speechRate, { signal }), spoken)
  const [begin, end] = [span.start, span.end].map((at) => Math.round((at - from) * rate))
  const whole = { samples: near.slice(begin, end), rate }
  const voice = isToSeparate(background) ? await separate(whole, signal) : null
  const isBetter =
    voice !== null && (background.kind !== 'unknown' || (await isFarFrom(whole, voice, signal)))
  const heard = isBetter ? voice : whole
  const last = from + near.length / rate
  const sound = await resample(heard, speechRate, { signal })
  return {
    span: { start: span.start, end: Math.min(span.end, last) },
    ...{ samples: heard.samples, rate: heard.rate },
    separator: isBetter ? voice.engine : null,
    notes: isToSeparate(background) && voice === null ? [leftBehind(background)] : [],
    recognised: isGiven
      ? await recogniser?.recognise(sound, { language, signal }).catch(orNothing(signal))
      : recogniser && (await recogniseSurely(recogniser, sound, { language, signal })),
  }
}

function isToSeparate({ kind, speech, gaps }: Background): boolean {
  return kind === 'music' || kind === 'unknown' || (kind === 'noise' && gaps > speech - nearNoise)
}

/** Whether what was taken off a voice can be heard beside it: of a voice alone next to nothing is. */
async function isFarFrom(whole: Samples, voice: Samples, signal: AbortSignal): Promise<boolean> {
  const before = await resample(whole, voice.rate, { signal })
  const takenOff = before.map((sample, at) => sample - (voice.samples[at] ?? 0))
  return powerOf(takenOff) > powerOf(voice.samples) * 10 ** (-nearNoise / 10)
}

function leftBehind({ kind }: Background): string {
  const what =
    kind === 'unknown'
      ? 'whether music is behind the voice cannot be heard, as it makes no pause'
      : `${kind} is heard behind the voice`
  return `${what}, and nothing is there that takes it off: \`reelwright models pull voice-separation\``
}

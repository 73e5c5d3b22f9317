import type { VoiceLanguage } from '../../src/contract/languages.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { resample } from '../../src/engines/ffmpeg/resample.ts'
import { recogniseWithConfidence } from '../../src/engines/speech/recognise-surely.ts'
import { readVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { analyzeBackground, meanPower, type BackgroundAnalysis } from '../../src/media/speech/background.ts'
import { referencePadding } from '../../src/media/speech/reference.ts'
import {
  speechRate,
  type RecognitionResult,
  type MonoAudio,
  type TimeSpan,
} from '../../src/media/speech/spoken.ts'
import { undefinedUnlessAborted, type SpeechEngines } from './engines.ts'

/** Rate at which a voice is handed on, Hz: the finest that an engine copies one at. */
const referenceRate = 32_000

/** To decode half an hour takes seconds, ms. */
export const decodingMs = 300_000

/** How much before and after a span tells what is behind it, seconds. */
const contextSeconds = 5

/** Noise behind a voice is taken off it where it is nearer to it than this; music always, dB. */
const minSignalToNoiseDb = 20

/** A span as it sounds without what is no voice, and what is said in it. */
export interface ReferenceCandidate extends MonoAudio {
  readonly span: TimeSpan
  /** What took the voice out of what else is heard; null where nothing had to. */
  readonly separator: string | null
  /** What there is to know of what is left behind the voice. */
  readonly notes: readonly string[]
  readonly recognised: RecognitionResult | undefined
}

interface ReadCandidateOptions extends Pick<SpeechEngines, 'recogniser' | 'separate'> {
  /** Where somebody speaks in the recording. */
  readonly speech: readonly TimeSpan[]
  readonly language: VoiceLanguage
  /** Whether what is said is known: then it need not be heard. */
  readonly isGiven: boolean
  readonly signal: AbortSignal
}

/** Listens to a span of a recording. */
export async function readReferenceCandidate(
  { path }: StagedFile,
  span: TimeSpan,
  { speech, separate, recogniser, language, isGiven, signal }: ReadCandidateOptions,
): Promise<ReferenceCandidate> {
  const from = Math.max(0, span.start - contextSeconds)
  const limits = { signal, timeoutMs: decodingMs }
  const near = await readVoice(path, {
    ...limits,
    rate: referenceRate,
    from,
    seconds: span.end + contextSeconds - from,
  })
  const spoken = speech.map(({ start, end }) => ({
    start: start - from - referencePadding,
    end: end - from + referencePadding,
  }))
  const background = analyzeBackground(
    await resample({ samples: near, rate: referenceRate }, speechRate, { signal }),
    spoken,
  )
  const [begin, end] = [span.start, span.end].map((at) => Math.round((at - from) * referenceRate))
  const whole = { samples: near.slice(begin, end), rate: referenceRate }
  const voice = needsSeparation(background) ? await separate(whole, signal) : null
  const isBetter =
    voice !== null && (background.kind !== 'unknown' || (await isAudiblyDifferent(whole, voice, signal)))
  const heard = isBetter ? voice : whole
  const last = from + near.length / referenceRate
  const sound = await resample(heard, speechRate, { signal })
  return {
    span: { start: span.start, end: Math.min(span.end, last) },
    ...{ samples: heard.samples, rate: heard.rate },
    separator: isBetter ? voice.engine : null,
    notes: needsSeparation(background) && voice === null ? [backgroundNote(background)] : [],
    recognised: isGiven
      ? await recogniser?.recognise(sound, { language, signal }).catch(undefinedUnlessAborted(signal))
      : recogniser && (await recogniseWithConfidence(recogniser, sound, { language, signal })),
  }
}

function needsSeparation({ kind, speech, gaps }: BackgroundAnalysis): boolean {
  return kind === 'music' || kind === 'unknown' || (kind === 'noise' && gaps > speech - minSignalToNoiseDb)
}

/** Whether what was taken off a voice can be heard beside it: of a voice alone next to nothing is. */
async function isAudiblyDifferent(whole: MonoAudio, voice: MonoAudio, signal: AbortSignal): Promise<boolean> {
  const before = await resample(whole, voice.rate, { signal })
  const takenOff = before.map((sample, at) => sample - (voice.samples[at] ?? 0))
  return meanPower(takenOff) > meanPower(voice.samples) * 10 ** (-minSignalToNoiseDb / 10)
}

function backgroundNote({ kind }: BackgroundAnalysis): string {
  const what =
    kind === 'unknown'
      ? 'whether music is behind the voice cannot be heard, as it makes no pause'
      : `${kind} is heard behind the voice`
  return `${what}, and nothing is there that takes it off: \`reelwright models pull voice-separation\``
}

import type { VoiceLanguage } from '../../src/contract/languages.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { resample } from '../../src/engines/ffmpeg/resample.ts'
import { decodeVoice, readVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { openDiarizer } from '../../src/engines/speech/diarization.ts'
import { recogniseWithConfidence } from '../../src/engines/speech/transcribe.ts'
import { openVoiceActivityDetector } from '../../src/engines/speech/voice-activity.ts'
import { missingAudioNotes } from '../../src/media/audio/missing-audio.ts'
import {
  analyzeBackground,
  type BackgroundAnalysis,
  meanPower,
} from '../../src/media/speech/background-noise.ts'
import {
  type MonoAudio,
  type RecognitionResult,
  speechRate,
  type TimeSpan,
} from '../../src/media/speech/speech-types.ts'
import {
  referencePadding,
  referenceRule,
  type SpeechActivity,
} from '../../src/media/speech/voice-reference.ts'
import { type SpeechEngines, undefinedUnlessAborted } from './engines.ts'

/** Where somebody speaks in a recording, and who; and what is told of parts of it that could not be heard. */
export async function analyzeRecording(
  { path, facts }: StagedFile,
  signal: AbortSignal,
): Promise<SpeechActivity & { readonly notes: readonly string[] }> {
  const limits = { signal, timeoutMs: decodingMs }
  let filled = 0
  const sound = decodeVoice(path, { ...limits, onHoles: (told) => (filled = told) })
  const speech: TimeSpan[] = []
  await using finder = await openVoiceActivityDetector(signal)
  for await (const span of finder.detect(sound, { signal, rule: referenceRule })) speech.push(span)
  await using splitter = await openDiarizer(signal)
  const turns = await splitter.diarize(decodeVoice(path, limits), { signal })
  return { speech, turns, notes: missingAudioNotes(facts, filled).map((note) => `of the reference ${note}`) }
}

/** Rate at which a voice is handed on, Hz: the finest that an engine copies one at. */
const referenceRate = 32_000

/** To decode half an hour takes seconds, ms. */
const decodingMs = 300_000

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

/** Level at which a voice is copied, dB under full scale, of what is not silence. */
const targetDb = -20

/** Highest peak that is left, dB under full scale. */
const peakCeilingDb = -1

/** Window of which a level is told, seconds, and levels under which it is silence, dB under full scale. */
const levelWindowSeconds = 0.02
const levelSilenceDb = -50

/** Speech brought to an even level. */
interface NormalizeLevelResult {
  readonly samples: Float32Array
  /** By how much it was made louder, dB. */
  readonly gain: number
}

/** Brings speech to an even level (its mean power where it is not silent), but no peak over the ceiling. */
export function normalizeLevel(samples: Float32Array, rate: number): NormalizeLevelResult {
  const size = Math.max(1, Math.round(levelWindowSeconds * rate))
  const least = 10 ** (levelSilenceDb / 10)
  let [power, count, peak] = [0, 0, 0]
  for (let from = 0; from < samples.length; from += size) {
    const part = samples.subarray(from, from + size)
    const mean = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length
    for (const sample of part) peak = Math.max(peak, Math.abs(sample))
    if (mean < least) continue
    power += mean
    count += 1
  }
  if (count === 0) return { samples, gain: 0 }
  const gain = Math.min(targetDb - powerToDb(power / count), peakCeilingDb - 2 * powerToDb(peak))
  const factor = 10 ** (gain / 20)
  return { samples: samples.map((sample) => sample * factor), gain: Math.round(gain * 10) / 10 }
}

/** Of a power; twice as much for an amplitude. */
function powerToDb(power: number): number {
  return 10 * Math.log10(power)
}

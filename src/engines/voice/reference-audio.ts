import type { VoiceLanguage } from '../../contract/languages.ts'
import type { StagedFile } from '../../contract/operation.ts'
import { decodeVoice, readVoice } from '../ffmpeg/sound.ts'
import { openDiarizer } from '../speech/diarization.ts'
import { recogniseWithConfidence } from '../speech/transcribe.ts'
import { openVoiceActivityDetector } from '../speech/voice-activity.ts'
import { missingAudioNotes } from '../../media/audio/missing-audio.ts'
import { replayable } from '../../media/audio/replayable.ts'
import { resample } from '../../media/audio/resample.ts'
import { analyzeBackground, type BackgroundAnalysis, meanPower } from '../../media/speech/background-noise.ts'
import {
  type MonoAudio,
  type RecognitionResult,
  type SpeakerTurn,
  speechRate,
  type TimeSpan,
} from '../../media/speech/speech-types.ts'
import { referencePadding, referenceRule, type SpeechActivity } from '../../media/speech/voice-reference.ts'
import { type SpeechEngines, undefinedUnlessAborted } from './engines.ts'

/** Speech and speakers of a recording, with remarks on missing sound. */
export interface AnalyzedRecording extends SpeechActivity {
  readonly notes: readonly string[]
}

/**
 * Finds speech in a recording, and its speakers unless they are given. `notes` report sound that is missing or cannot be
 * decoded.
 */
export async function analyzeRecording(
  { path, facts }: StagedFile,
  signal: AbortSignal,
  turns?: readonly SpeakerTurn[],
): Promise<AnalyzedRecording> {
  const limits = { signal, timeoutMs: decodingMs + (facts?.duration_ms ?? 0) }
  let filled = 0
  const read = replayable(() => decodeVoice(path, { ...limits, onGaps: (missing) => (filled = missing) }))
  const speech: TimeSpan[] = []
  await using finder = await openVoiceActivityDetector(signal)
  for await (const span of finder.detect(read(), { signal, rule: referenceRule })) speech.push(span)
  const diarize = async () => {
    await using splitter = await openDiarizer(signal)
    return await splitter.diarize(read(), { signal })
  }
  return {
    speech,
    turns: turns ?? (await diarize()),
    notes: missingAudioNotes(facts, filled).map((note) => `of the reference ${note}`),
  }
}

/** Sample rate of references, Hz: the highest that an engine uses. */
export const referenceRate = 32_000

/** Timeout of decoding, ms: half an hour takes seconds; what reads a whole recording also takes time. */
const decodingMs = 300_000

/** Context before and after a span for the analysis of its background, seconds. */
const contextSeconds = 5

/** Noise is removed below this signal-to-noise ratio, dB; music always. */
const minSignalToNoiseDb = 20

/** A candidate span: its voice, separated if necessary, and its transcript. */
export interface ReferenceCandidate extends MonoAudio {
  readonly span: TimeSpan
  /** Name of the separator; null if none was needed. */
  readonly separator: string | null
  /** Remarks on background that could not be removed. */
  readonly notes: readonly string[]
  readonly recognised: RecognitionResult | undefined
}

interface ReadCandidateOptions extends Pick<SpeechEngines, 'recogniser'> {
  /** Separates the voice from other sound; absent if the recording is a separated voice. */
  readonly separate?: SpeechEngines['separate'] | undefined
  /** Spans of speech in the recording. */
  readonly speech: readonly TimeSpan[]
  readonly language: VoiceLanguage
  /** Whether the transcript is given: then recognition is optional. */
  readonly isGiven: boolean
  readonly signal: AbortSignal
}

/** Reads a span of a recording, separates its voice if necessary, and recognises it. */
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
  const nearForRecognition = resample({ samples: near, rate: referenceRate }, speechRate)
  const background = analyzeBackground(nearForRecognition, spoken)
  const spanOf = (samples: Float32Array, rate: number): MonoAudio => {
    const [begin, end] = [Math.round((span.start - from) * rate), Math.round((span.end - from) * rate)]
    return { samples: samples.slice(begin, end), rate }
  }
  const whole = spanOf(near, referenceRate)
  const needsVoice = separate !== undefined && needsSeparation(background)
  const voice = needsVoice ? await separate(whole, signal) : null
  const isBetter = voice !== null && (background.kind !== 'unknown' || isAudiblyDifferent(whole, voice))
  const heard = isBetter ? voice : whole
  const last = from + near.length / referenceRate
  const sound = isBetter ? resample(heard, speechRate) : spanOf(nearForRecognition, speechRate).samples
  return {
    span: { start: span.start, end: Math.min(span.end, last) },
    ...{ samples: heard.samples, rate: heard.rate },
    separator: isBetter ? voice.engine : null,
    notes: needsVoice && voice === null ? [backgroundNote(background)] : [],
    recognised: isGiven
      ? await recogniser?.recognise(sound, { language, signal }).catch(undefinedUnlessAborted(signal))
      : recogniser && (await recogniseWithConfidence(recogniser, sound, { language, signal })),
  }
}

function needsSeparation({ kind, speech, gaps }: BackgroundAnalysis): boolean {
  return kind === 'music' || kind === 'unknown' || (kind === 'noise' && gaps > speech - minSignalToNoiseDb)
}

/** Whether the removed sound is audible beside the voice; a voice alone loses next to nothing. */
function isAudiblyDifferent(whole: MonoAudio, voice: MonoAudio): boolean {
  const before = resample(whole, voice.rate)
  const takenOff = before.map((sample, at) => sample - (voice.samples[at] ?? 0))
  return meanPower(takenOff) > meanPower(voice.samples) * 10 ** (-minSignalToNoiseDb / 10)
}

function backgroundNote({ kind }: BackgroundAnalysis): string {
  const what =
    kind === 'unknown'
      ? 'the speech has no pauses in which background music could be detected'
      : `the voice has background ${kind}`
  return `${what}, and no separator is installed to remove it: \`reelwright models pull voice-separation\``
}

/** Level of references without their silence, dBFS. */
const targetDb = -20

/** Highest sample peak, dBFS. */
const peakCeilingDb = -1

/** Window of the level measurement, seconds, and level below which a window is silent, dBFS. */
const referenceLevelWindow = 0.02
const levelSilenceDb = -50

/** Speech at the target level. */
interface NormalizeLevelResult {
  readonly samples: Float32Array
  /** Applied gain, dB. */
  readonly gain: number
}

/** Amplifies mono speech to -20 dBFS, the mean power of its non-silent windows, with peaks of at most -1 dBFS. */
export function normalizeLevel(samples: Float32Array, rate: number): NormalizeLevelResult {
  const size = Math.max(1, Math.round(referenceLevelWindow * rate))
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

/** Power in dB; double the result for an amplitude. */
function powerToDb(power: number): number {
  return 10 * Math.log10(power)
}

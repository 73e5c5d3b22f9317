import type { BreakClass } from '../../src/media/cut/pauses.ts'
import { speechRate, type TimeSpan } from '../../src/media/speech/speech-types.ts'
import type { Passage, PassageKind, PauseSound, SpokenScript } from './script.ts'
import { sentenceTables, type RecordingLanguage } from './sentences.ts'
import { speakAll, type Delivery } from './speak.ts'
import { breath, noise, record } from './speech-sounds.ts'

/** A word of a recording, seconds. */
export interface TruthWord extends TimeSpan {
  readonly text: string
  /** Punctuation after the word, or an empty string. */
  readonly mark: string
  /** Index of its passage. */
  readonly passage: number
  /**
   * Whether start and end are exact to the sample: those of a passage. Other times divide the passage in proportion to
   * the words spoken alone: against the word events of espeak-ng they are 0.05 to 0.1 s off in the mean, 95 % of them
   * within 0.2 s, and at most 0.28 s.
   */
  readonly exact: { readonly start: boolean; readonly end: boolean }
}

/** A passage of a recording, from the first to the last sample of its voice, exact to the sample; seconds. */
export interface TruthPassage extends TimeSpan {
  readonly kind: PassageKind
  /** Whether a perfect cut keeps it. */
  readonly kept: boolean
  /** Range of its words. */
  readonly words: { readonly from: number; readonly to: number }
  /** Position of its first word in the script. */
  readonly scriptWord: number
  readonly breakAfter: BreakClass | null
}

/** What is known about a recording. Times are seconds. */
export interface RecordingTruth {
  readonly language: RecordingLanguage
  readonly script: string
  readonly seconds: number
  readonly words: readonly TruthWord[]
  /** In the order of the recording. */
  readonly passages: readonly TruthPassage[]
  readonly breaths: readonly TimeSpan[]
  /** Times of clicks. */
  readonly clicks: readonly number[]
}

/** A generated recording: mono samples, 16 kHz. */
export interface Recording {
  readonly samples: Float32Array
  readonly truth: RecordingTruth
}

/** Silence at both ends, seconds. */
const margin = 0.8

const toSamples = (seconds: number): number => Math.round(seconds * speechRate)

/**
 * Speaks the passages of a script and joins them with their pauses, room tone at `room` dBFS (RMS) under everything.
 * `clipOf` returns the sound of a passage; by default, espeak-ng speaks it. Returns the sound and the truth about it.
 */
export async function assemble(
  { language, text, passages: plan }: SpokenScript,
  {
    room = -62,
    seed = 1,
    clipOf,
  }: {
    readonly room?: number | undefined
    readonly seed?: number
    readonly clipOf?: (passage: Passage) => Promise<Clip>
  } = {},
): Promise<Recording> {
  const clips = await clipsOf(plan, clipOf ?? (await speakPassages(plan, sentenceTables[language].voice)))
  const starts: number[] = []
  let at = toSamples(margin)
  for (const [index, { pause }] of plan.entries()) {
    starts.push(at)
    at += (clips[index]?.samples.length ?? 0) + toSamples(pause)
  }
  const last = plan.at(-1)?.pause ?? 0
  const { samples } = record(
    [{ kind: 'silence', seconds: (at + toSamples(margin - last)) / speechRate, level: 0 }],
    {
      room,
      seed,
    },
  )
  const words: TruthWord[] = []
  const passages: TruthPassage[] = []
  const breaths: TimeSpan[] = []
  const clicks: number[] = []
  for (const [index, passage] of plan.entries()) {
    const clip = clips[index]
    const start = starts[index] ?? 0
    if (!clip) continue
    addSamples(samples, start, clip.samples)
    const end = start + clip.samples.length
    const span = { start: start / speechRate, end: end / speechRate }
    const from = words.length
    words.push(...timeWords(passage, span, clip.weights).map((word) => ({ ...word, passage: index })))
    const { kind, scriptWord, breakAfter } = passage
    passages.push({
      ...{ ...span, kind, scriptWord, breakAfter },
      ...{ kept: kind === 'speech', words: { from, to: words.length } },
    })
    for (const sound of index === plan.length - 1 ? [] : passage.sounds) {
      const time = span.end + sound.at
      addSound(samples, time, { sound, seed: index })
      if (sound.kind === 'breath') breaths.push({ start: time, end: time + sound.seconds })
      else clicks.push(time)
    }
  }
  const seconds = samples.length / speechRate
  return { samples, truth: { language, script: text, seconds, words, passages, breaths, clicks } }
}

/** A spoken passage. */
export interface Clip {
  readonly samples: Float32Array
  /** Length of each word when spoken alone, samples: the words divide the time of the clip in proportion. */
  readonly weights: readonly number[]
}

/** Clips created concurrently. */
const concurrency = 4

async function clipsOf(
  plan: readonly Passage[],
  clipOf: (passage: Passage) => Promise<Clip>,
): Promise<Clip[]> {
  const clips: Clip[] = []
  for (let from = 0; from < plan.length; from += concurrency) {
    const group = plan.slice(from, from + concurrency)
    clips.push(...(await Promise.all(group.map(clipOf))))
  }
  return clips
}

/** Speaks passages with a voice, attempts of equal numbers together. Returns a function that returns the clip of each. */
async function speakPassages(
  passages: readonly Passage[],
  voice: string,
): Promise<(passage: Passage) => Promise<Clip>> {
  const sounds = new Map<Passage, Float32Array | undefined>()
  for (const [attempt, group] of Map.groupBy(passages, (passage) => passage.attempt)) {
    // No take sounds like another one.
    const delivery: Delivery = { voice, speed: 165 + 9 * (attempt % 3), pitch: 50 - 7 * (attempt % 4) }
    const spoken = await speakAll(group.map(spokenText), delivery)
    for (const [index, passage] of group.entries()) sounds.set(passage, spoken[index])
  }
  const weightsOf = await weighWords(passages, voice)
  return (passage) =>
    Promise.resolve({ samples: sounds.get(passage) ?? new Float32Array(), weights: weightsOf(passage) })
}

/** Returns a function that returns the length of each word of a passage when spoken alone. */
export async function weighWords(
  passages: readonly Passage[],
  voice: string,
): Promise<(passage: Passage) => number[]> {
  const words = [...new Set(passages.flatMap((passage) => passage.words.map(({ spoken }) => spoken)))]
  const clips = await speakAll(words, { voice, speed: 165, pitch: 50 })
  const lengths = new Map(words.map((word, index) => [word, clips[index]?.length ?? 0]))
  return (passage) => passage.words.map(({ spoken }) => lengths.get(spoken) ?? 0)
}

/** Returns what is given to the voice for a passage. */
export function spokenText({ words }: Passage): string {
  return words.map(({ spoken }) => spoken).join(' ')
}

/** Divides the time of a passage among its words. */
function timeWords(
  { words }: Passage,
  span: TimeSpan,
  weights: readonly number[],
): Omit<TruthWord, 'passage'>[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return words.map(({ text, mark }, index) => {
    const start = span.start + (before / total) * (span.end - span.start)
    before += weights[index] ?? 0
    const isLast = index === words.length - 1
    const end = isLast ? span.end : span.start + (before / total) * (span.end - span.start)
    return { text, mark, start, end, exact: { start: index === 0, end: isLast } }
  })
}

function addSamples(samples: Float32Array, from: number, added: Float32Array): void {
  for (let at = 0; at < added.length; at += 1)
    samples[from + at] = (samples[from + at] ?? 0) + (added[at] ?? 0)
}

function addSound(
  samples: Float32Array,
  time: number,
  { sound: { kind, seconds, level }, seed }: { readonly sound: PauseSound; readonly seed: number },
): void {
  if (kind === 'breath') {
    // Without room tone of its own.
    const { samples: band } = record([breath(seconds, level)], { room: -200, seed: seed + 1 })
    addSamples(
      samples,
      toSamples(time),
      band.map((sample) => Math.max(-0.99, Math.min(0.99, sample))),
    )
    return
  }
  const random = noise(seed + 1)
  const peak = 10 ** (level / 20)
  addSamples(
    samples,
    toSamples(time),
    Float32Array.from({ length: 8 }, (_, at) => peak * random() * 0.5 ** at),
  )
}

/** Returns the passages that a perfect cut keeps, in the order of the script. */
export function keptPassages({ passages }: RecordingTruth): TruthPassage[] {
  return passages.filter(({ kept }) => kept).toSorted((one, other) => one.scriptWord - other.scriptWord)
}

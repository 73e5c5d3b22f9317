import { decodeWav } from '../../src/media/audio/wav.ts'
import { resample } from '../../src/media/audio/resample.ts'
import { speechRate, type TimeSpan } from '../../src/media/speech/speech-types.ts'
import { fails, json, startFakeService, type FakeService } from '../engines/services/fake-service.ts'
import type { Recording, RecordingTruth, TruthWord } from './assemble.ts'
import { sentenceTables } from './sentences.ts'
import { soundFinder } from './find-sound.ts'
import { noise } from './speech-sounds.ts'

export interface RecogniserErrors {
  readonly seed?: number
  /** Largest error of a word's start and end, seconds. */
  readonly jitter?: number
  /** Share of words that become another word, 0 to 1. */
  readonly substitutions?: number
  /** Share of repeated passages that are returned once, with one long word, 0 to 1. */
  readonly swallowed?: number
  /** Words that are left out. */
  readonly omitted?: readonly OmittedWords[]
}

/** A range of words that is left out of longer sound. */
export interface OmittedWords {
  readonly from: number
  readonly to: number
  /** Whether they are recognised in sound that is at most 1 s longer than they are. */
  readonly isHeardAlone: boolean
}

/** Errors of a usual recogniser. */
export const usualErrors: Required<Omit<RecogniserErrors, 'seed' | 'omitted'>> = {
  ...{ jitter: 0.08, substitutions: 0.05, swallowed: 0.5 },
}

/** A recognised word, seconds from the start of the recording. */
interface HeardWord extends TimeSpan {
  readonly text: string
  readonly mark: string
}

/**
 * Starts an OpenAI-compatible transcription service that knows a recording. It finds the received sound in the recording
 * by its content and returns the words whose middle is in it, without fillers, with the given errors. The errors of a
 * word depend on the seed and the word only. Sound that is not in the recording has no words. `swallowed` collects the
 * passages that were swallowed in a response.
 */
export async function startStandInRecogniser(
  recording: Recording,
  errors: RecogniserErrors = usualErrors,
): Promise<FakeService & { readonly swallowed: ReadonlySet<number> }> {
  const find = soundFinder(recording.samples)
  const swallowed = new Set<number>()
  const service = await startFakeService((response, heard) => {
    const sound = receivedSound(heard.body)
    if (!sound || !heard.path.endsWith('/audio/transcriptions')) return fails(404)(response, heard)
    const seconds = sound.length / speechRate
    const start = find(sound)
    const span = start === null ? null : { start, end: start + seconds }
    const words = span ? hear(recording.truth, span, errors) : []
    for (const passage of span ? swallowedIn(recording.truth, span, errors) : []) swallowed.add(passage)
    return json(transcription(words, { language: recording.truth.language, start: start ?? 0, seconds }))(
      response,
      heard,
    )
  })
  return Object.assign(service, { swallowed })
}

/** Sound of a form with a WAV file: mono, 16 kHz. */
export function receivedSound(body: Buffer): Float32Array | undefined {
  const start = body.indexOf('RIFF')
  if (start < 0) return undefined
  const end = start + 8 + body.readUInt32LE(start + 4)
  return resample(decodeWav(body.subarray(start, end)), speechRate)
}

/** Returns a verbose response with the words of a sound, whose times are those of the recording. */
export function transcription(
  words: readonly HeardWord[],
  {
    language,
    start,
    seconds,
  }: { readonly language: string; readonly start: number; readonly seconds: number },
) {
  const space = words.length > 0 && ['zh-CN', 'ja-JP'].includes(language) ? '' : ' '
  const text = words.map(({ text: word, mark }) => word + mark).join(space)
  const timed = words.map((word) => ({ word: word.text, start: word.start - start, end: word.end - start }))
  const segments = timed.length > 0 ? [{ id: 0, start: timed[0]?.start, end: timed.at(-1)?.end, text }] : []
  return {
    task: 'transcribe',
    language: language.slice(0, 2),
    duration: seconds,
    text,
    words: timed,
    segments,
  }
}

/** Returns what a recogniser hears in a span of a recording: words in order, without overlaps, within the span. */
export function hear(truth: RecordingTruth, span: TimeSpan, errors: RecogniserErrors): HeardWord[] {
  const { seed = 1, jitter = 0, substitutions = 0 } = errors
  const lost = swallowedIn(truth, span, errors)
  const vocabulary = sentenceTables[truth.language].sentences.flat()
  const heard: HeardWord[] = []
  let longFrom: number | undefined
  for (const [index, word] of truth.words.entries()) {
    const middle = (word.start + word.end) / 2
    if (middle < span.start || middle >= span.end || truth.passages[word.passage]?.kind === 'filler') continue
    if (isOmitted(truth, index, { span, errors })) continue
    if (lost.has(word.passage)) {
      longFrom ??= word.start
      continue
    }
    const random = noise(seed * 7919 + index)
    random()
    const [early, late, choice, other] = [random(), random(), random(), random()]
    const isOther = (choice + 1) / 2 < substitutions
    const substitute = vocabulary[Math.floor(((other + 1) / 2) * vocabulary.length)]?.text
    heard.push({
      text: isOther && substitute !== undefined ? substitute : word.text,
      mark: word.mark,
      start: (longFrom ?? word.start) + jitter * early,
      end: word.end + jitter * late,
    })
    longFrom = undefined
  }
  return orderWords(heard, span)
}

/** Sound beyond omitted words in which they are recognised, seconds. */
const aloneSeconds = 1

function isOmitted(
  { words }: RecordingTruth,
  index: number,
  { span, errors }: { readonly span: TimeSpan; readonly errors: RecogniserErrors },
): boolean {
  return (errors.omitted ?? []).some(({ from, to, isHeardAlone }) => {
    const seconds = (words[to - 1]?.end ?? 0) - (words[from]?.start ?? 0)
    const isAlone = span.end - span.start <= seconds + aloneSeconds
    return index >= from && index < to && !(isAlone && isHeardAlone)
  })
}

/** Ends every word by the start of the next one, and keeps all within a span. */
function orderWords(words: readonly HeardWord[], span: TimeSpan): HeardWord[] {
  let before = span.start
  return words.map((word, index) => {
    const next = words[index + 1]?.start ?? span.end
    const start = Math.min(Math.max(word.start, before), span.end)
    const end = Math.min(
      span.end,
      Math.max(start, Math.min(word.end, Math.max(next, start + minWordSeconds))),
    )
    before = end
    return { ...word, start, end }
  })
}

/** Shortest word that overlapping times leave, seconds. */
const minWordSeconds = 0.02

/** Passages of a span that are swallowed: attempts that another attempt at the same sentence follows within the span. */
function swallowedIn(
  { passages, words }: RecordingTruth,
  span: TimeSpan,
  { seed = 1, swallowed: share = 0 }: RecogniserErrors,
): Set<TruthWord['passage']> {
  const swallowed = new Set<number>()
  for (const [index, passage] of passages.entries()) {
    if ((passage.kind !== 'retake' && passage.kind !== 'restart') || passage.start < span.start) continue
    const isRepeated = passages.slice(index + 1).some(({ scriptWord, kind, words: { to } }) => {
      const isSame = scriptWord === passage.scriptWord && kind !== 'filler'
      return isSame && (words[to - 1]?.end ?? Infinity) <= span.end
    })
    if (isRepeated && (noise(seed * 104_729 + passage.scriptWord)() + 1) / 2 < share) swallowed.add(index)
  }
  return swallowed
}

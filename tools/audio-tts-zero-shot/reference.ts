import { spoken, type VoiceLanguage } from '../../src/contract/languages.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { resample } from '../../src/engines/ffmpeg/resample.ts'
import { decodeVoice, readVoice } from '../../src/engines/ffmpeg/voice-sound.ts'
import { openSpeechFinder } from '../../src/engines/speech/find-speech.ts'
import type { VoiceReference } from '../../src/engines/speech/speech.ts'
import { openSpeakerSplitter } from '../../src/engines/speech/split-speakers.ts'
import { BackgroundMeter, backgroundFrame, type Background } from '../../src/media/speech/background.ts'
import { compareSpoken } from '../../src/media/speech/compare.ts'
import { chooseReference } from '../../src/media/speech/reference.ts'
import { speechRate, type Recognised, type Samples, type Span } from '../../src/media/speech/spoken.ts'
import { orNothing, type Engines, type Input } from './engines.ts'
import { evenLevel } from './level.ts'

/** Rate at which a voice is handed on, Hz: the finest that an engine copies one at. */
const rate = 32_000

/** How sure a recogniser must be of what it hears in a reference, where it tells. */
const sureEnough = 0.5

/** Spans that are listened to before it is said that none will do. */
const mostTried = 6

/** To decode half an hour takes seconds, ms. */
const timeoutMs = 300_000

/** Noise behind a voice is taken off it where it is nearer to it than this; music always, dB. */
const nearNoise = 20

/** What a voice is copied from, and what is reported of it. */
export interface Prepared {
  readonly reference: VoiceReference
  readonly span: Span
  readonly separated: boolean
  /** dB. */
  readonly gain: number
  readonly source: 'user' | 'asr'
  readonly confidence: number | null
  readonly language: VoiceLanguage
  readonly notes: readonly string[]
}

/**
 * Picks what of a recording the voice is copied from, takes what is no voice off it, and evens its level. Throws
 * 6016, naming the rule that no part of it meets.
 */
export async function prepareReference(
  file: StagedFile,
  input: Pick<Input, 'ref_text' | 'ref_lang' | 'text_lang'>,
  { recogniser, separate, signal }: Pick<Engines, 'recogniser' | 'separate'> & Pick<RunContext, 'signal'>,
): Promise<Prepared> {
  const { background, ...voices } = await hear(file, signal)
  const choice = chooseReference(voices)
  if ('unmet' in choice) throw unfit(file, choice.unmet)
  const language = spoken(input.ref_lang ?? input.text_lang)
  const heard: Heard[] = []
  // Whoever gives the words gives those of all that is said.
  const isGiven = input.ref_text !== undefined
  const spans = isGiven
    ? choice.spans.toSorted((one, other) => lengthOf(other) - lengthOf(one))
    : choice.spans
  for (const span of apart(spans).slice(0, mostTried)) {
    const listened = await listen(file, span, {
      ...{ recogniser, language, signal, isGiven },
      separate: isToSeparate(background) ? separate : undefined,
    })
    heard.push(listened)
    // Of what is given in words, the part is looked for that says them.
    if (!isGiven && isUnderstood(listened)) break
  }
  const best = input.ref_text === undefined ? understood(file, heard) : nearestTo(input.ref_text, heard)
  const { span, separated, recognised } = best
  const level = evenLevel(best.samples, best.rate)
  return {
    reference: {
      samples: level.samples,
      rate: best.rate,
      text: input.ref_text ?? recognised?.text ?? '',
      language,
    },
    ...{ span, separated, language },
    notes: isToSeparate(background) && !separated ? [notSeparated(background)] : [],
    gain: level.gain,
    source: input.ref_text === undefined ? 'asr' : 'user',
    confidence: recognised?.confidence ?? null,
  }
}

const lengthOf = ({ start, end }: Span): number => end - start

/** Spans in their order, those first that share less than half of their length with an earlier one. */
function apart(spans: readonly Span[]): Span[] {
  const chosen: Span[] = []
  const others: Span[] = []
  for (const span of spans) {
    const shares = (other: Span) => Math.min(span.end, other.end) - Math.max(span.start, other.start)
    const isNew = chosen.every((other) => shares(other) < lengthOf(span) / 2)
    if (isNew) chosen.push(span)
    else others.push(span)
  }
  return [...chosen, ...others]
}

/** Where somebody speaks in a recording, who, and what is behind. */
async function hear({ path }: StagedFile, signal: AbortSignal) {
  const speech: Span[] = []
  await using finder = await openSpeechFinder(signal)
  for await (const span of finder.find(decodeVoice(path, { signal, timeoutMs }), { signal }))
    speech.push(span)
  const meter = new BackgroundMeter()
  await using splitter = await openSpeakerSplitter(signal)
  const sound = measured(decodeVoice(path, { signal, timeoutMs }), { speech, meter })
  const turns = await splitter.split(sound, { signal })
  return { speech, turns, background: meter.tell() }
}

/** Sound as it passes, measured where all of a stretch is speech, or none. */
async function* measured(
  sound: AsyncIterable<Float32Array>,
  { speech, meter }: { readonly speech: readonly Span[]; readonly meter: BackgroundMeter },
): AsyncGenerator<Float32Array> {
  const stretch = new Float32Array(backgroundFrame)
  let [filled, at, span] = [0, 0, 0]
  for await (const piece of sound) {
    yield piece
    for (const sample of piece) {
      stretch[filled] = sample
      filled += 1
      if (filled < stretch.length) continue
      const [start, end] = [at / speechRate, (at + filled) / speechRate]
      while ((speech[span]?.end ?? Infinity) <= start) span += 1
      const { start: begins = Infinity, end: ends = Infinity } = speech[span] ?? {}
      if (begins >= end) meter.add(stretch, false)
      else if (begins <= start && ends >= end) meter.add(stretch, true)
      at += filled
      filled = 0
    }
  }
}

function isToSeparate({ kind, speech, gaps }: Background): boolean {
  return kind === 'music' || (kind === 'noise' && gaps > speech - nearNoise)
}

function notSeparated({ kind }: Background): string {
  return `${kind} is heard behind the voice, and nothing is there that takes it off: \`reelwright models pull voice-separation\``
}

/** A span as it sounds without what is no voice, and what is said in it. */
interface Heard {
  readonly span: Span
  readonly samples: Float32Array
  readonly rate: number
  readonly separated: boolean
  readonly recognised: Recognised | undefined
}

interface Listening extends Pick<Engines, 'recogniser'> {
  readonly separate: Engines['separate'] | undefined
  readonly language: VoiceLanguage
  /** Whether what is said is known: then it need not be heard. */
  readonly isGiven: boolean
  readonly signal: AbortSignal
}

async function listen(
  { path }: StagedFile,
  span: Span,
  { separate, recogniser, language, isGiven, signal }: Listening,
): Promise<Heard> {
  const wanted = { signal, timeoutMs, from: span.start, seconds: span.end - span.start }
  const whole: Samples = { samples: await readVoice(path, { ...wanted, rate }), rate }
  const voice = (await separate?.(whole, signal)) ?? null
  const heard = voice ?? whole
  const sound = await resample(heard, speechRate, { signal })
  const recognising = recogniser?.recognise(sound, { language, signal })
  const recognised = await (isGiven ? recognising?.catch(orNothing(signal)) : recognising)
  return { span, ...heard, separated: voice !== null, recognised }
}

function isUnderstood({ recognised }: Heard): boolean {
  return recognised !== undefined && recognised.text !== '' && (recognised.confidence ?? 1) >= sureEnough
}

/** The first of what was heard that was understood. */
function understood(file: StagedFile, heard: readonly Heard[]): Heard {
  const found = heard.find(isUnderstood)
  if (found) return found
  const surest = Math.max(
    ...heard.map(({ recognised }) => (recognised?.text ? (recognised.confidence ?? 1) : 0)),
  )
  const unmet =
    surest === 0
      ? 'what is said in it was not recognised'
      : `what is said in it was recognised with a confidence of ${surest.toFixed(2)} at most, and ${sureEnough} is needed`
  throw unfit(
    file,
    unmet,
    'Give ref_text, what is said in it word for word, with ref_lang; or a clearer recording.',
  )
}

/** What of the heard says given words best; of parts nobody recognised the first, which is the best to copy. */
function nearestTo(text: string, heard: readonly Heard[]): Heard {
  const likeness = ({ recognised }: Heard) => {
    const said = recognised?.text ?? ''
    return compareSpoken(text, said).heard + compareSpoken(said, text).heard
  }
  const [best] = heard.toSorted((one, other) => likeness(other) - likeness(one))
  if (!best) throw new TypeError('nothing was heard')
  return best
}

function unfit(
  { name }: StagedFile,
  unmet: string,
  hint = 'Give a recording in which one person speaks clearly for 5 to 10 s, without music and long pauses.',
): MediaError {
  return new MediaError(6016, `ref_file_id: ${name} will not do as a reference: ${unmet}`, { hint })
}

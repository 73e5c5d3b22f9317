import { MediaError } from '../../contract/errors.ts'
import type { RunContext } from '../../contract/operation.ts'
import type { DubLine } from '../../media/dubbing/dub-lines.ts'
import type { FitLine } from '../../media/dubbing/fit.ts'
import type { ShareTimeOptions } from '../../media/dubbing/line-slots.ts'
import { type LineToRewrite, linesToRewrite } from '../../media/dubbing/lines-to-rewrite.ts'
import { textLength, measureSpeechRates } from '../../media/dubbing/speech-rates.ts'
import { soundSpan } from '../../media/speech/speech-assembler.ts'
import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import type { LanguagePair } from '../translation/languages.ts'
import { SilentSpeechError } from '../speech/voice-service.ts'
import { maxLostLines } from '../translation/translate-lines.ts'
import type { LineVoice } from './line-voice.ts'
import { rewriteLines } from './rewrite-lines.ts'

/** A line and its speech, which is stored between attempts. */
export interface SpokenLine {
  readonly line: DubLine
  /** What is said; empty for a line that stays silent. */
  readonly text: string
  /** Duration of its speech at speed 1 without silence at its ends, whole ms. */
  readonly synth: number
  /** Share of its words that were not recognised in the speech, if it is not accepted. */
  readonly lostShare?: number | undefined
  /** Share of the words recognised in the speech that are not its own, if it is not accepted. */
  readonly addedShare?: number | undefined
  readonly rewriteRounds: number
  /** Reason of the voice, if it refuses the text or responds with silence; then the line is silent. */
  readonly refusal?: string | undefined
  /** Reads its speech at speed 1. */
  read(): Promise<MonoAudio>
}

interface LineRewriter {
  readonly model: LanguageModel
  readonly pair: LanguagePair
  /** Called with the reason for which lines stay unchanged. */
  readonly onFailure?: (error: MediaError) => void
}

interface SpeakLinesOptions extends Pick<RunContext, 'signal'> {
  readonly voice: LineVoice
  readonly fit: ShareTimeOptions
  /** Rewrites lines that do not fit. Default: they stay unchanged. */
  readonly rewriter?: LineRewriter | undefined
  /** Called with 0 to 1, never decreasing. */
  readonly onShare: (share: number) => void
}

/** Failures (of lines: in succession) after which nothing more is spoken: the engine has stopped responding. */
const maxFailures = 3

/** Share of the progress until all lines are spoken for the first time, and until each round of rewriting is. */
const shares = { spoken: 0.7, rounds: [0.9, 1] } as const

/**
 * Speaks lines. Those that do not fit their time are rewritten, twice at most, and spoken again: a rewriting is used if its
 * speech is nearer to the time of the line, and as complete. `texts`: what each line says. A line that the voice refuses, or
 * to which it responds with silence, is silent; throws the reason if that happens three times in succession, or more than a
 * tenth are silent, and 6401 and 6402 if the voice fails. A line whose rewriting cannot be spoken stays.
 */
export async function speakLines(
  lines: readonly DubLine[],
  texts: readonly string[],
  { voice, fit, rewriter, signal, onShare }: SpeakLinesOptions,
): Promise<SpokenLine[]> {
  const first = lines.map((line, index) => ({ line, text: texts[index] ?? '', rewriteRounds: 0 }))
  let done = 0
  const spoken = await speakTexts(first, {
    ...{ voice, signal },
    onSpoken: () => onShare((shares.spoken * (done += 1)) / lines.length),
  })
  if (!rewriter) return spoken
  const speakRewriting = openRewritingVoice({ voice, signal, onFailure: rewriter.onFailure })
  for (const [round, share] of shares.rounds.entries()) {
    const wanted = linesToRewrite(spoken.map(toFitLine), fit)
    if (wanted.length === 0) break
    const requests = rewriteRequests(wanted, spoken)
    const present = spoken.map(({ text }) => text)
    const { pair, ...asking } = rewriter
    const rewritten = await rewriteLines(requests, pair, { ...asking, signal, texts: present, round })
    const changed = wanted.flatMap(({ index, target }) => {
      const [before, text] = [spoken[index], rewritten.get(index)]
      return before && text !== undefined ? [{ index, target, before, text }] : []
    })
    const after = await speakAtOnce(changed, voice, ({ before: { line, rewriteRounds }, text }) =>
      speakRewriting({ line, text, rewriteRounds: rewriteRounds + 1 }),
    )
    for (const [at, { index, target, before }] of changed.entries()) {
      const other = after[at]
      if (other && isBetter(other, before, target)) spoken[index] = other
    }
    onShare(share)
  }
  return spoken
}

/** Whether a rewriting is nearer to the time of its line. Silence and speech that loses words are short for no good reason. */
function isBetter(after: SpokenLine, before: SpokenLine, target: number): boolean {
  const isComplete =
    after.synth > 0 &&
    (after.lostShare ?? 0) <= (before.lostShare ?? 0) &&
    (after.addedShare ?? 0) <= (before.addedShare ?? 0)
  return isComplete && Math.abs(after.synth - target) < Math.abs(before.synth - target)
}

/** Returns a spoken line in the form that is fitted to the source. */
export function toFitLine({ line: { start, end }, synth, rewriteRounds }: SpokenLine): FitLine {
  return { start, end, synth, rewriteRounds }
}

/** A line and what it says. */
type LineText = Pick<SpokenLine, 'line' | 'text' | 'rewriteRounds'>

/** Whether a voice does not speak a text: it refuses it, or responds with silence. */
function isRefusal(error: unknown): error is MediaError {
  return error instanceof SilentSpeechError || (error instanceof MediaError && !error.retryable)
}

interface SpeakTextsOptions extends Pick<SpeakLinesOptions, 'voice' | 'signal'> {
  /** Called after each line. */
  readonly onSpoken?: () => void
}

/** Speaks lines. Those that the voice refuses are silent, unless they are many or successive. A failure ends the others. */
async function speakTexts(
  lines: readonly LineText[],
  { voice, signal, onSpoken = () => {} }: SpeakTextsOptions,
): Promise<SpokenLine[]> {
  const failure = new AbortController()
  const either = AbortSignal.any([signal, failure.signal])
  let [silent, successive] = [lines.filter(({ text }) => text === '').length, 0]
  return await speakAtOnce(lines, voice, async (line) => {
    either.throwIfAborted()
    try {
      const spoken = await speakLine(line, { voice, signal, until: either })
      successive = 0
      onSpoken()
      return spoken
    } catch (error) {
      either.throwIfAborted()
      silent += 1
      successive += 1
      const isTolerable = silent <= maxLostLines(lines.length) && successive < maxFailures
      if (isTolerable && isRefusal(error)) {
        onSpoken()
        return { ...silentLine(line, { voice, signal }), refusal: error.message }
      }
      failure.abort(error)
      throw error
    }
  })
}

/** Speaks rewritten lines; undefined for those that fail, and for all after some failures. */
function openRewritingVoice({
  onFailure = () => {},
  ...options
}: Pick<SpeakLinesOptions, 'voice' | 'signal'> & Pick<LineRewriter, 'onFailure'>) {
  const { signal } = options
  let failures = 0
  return async (line: LineText): Promise<SpokenLine | undefined> => {
    if (failures >= maxFailures) return undefined
    const speaking = speakLine(line, { ...options, until: signal })
    const spoken = await speaking.catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof MediaError) onFailure(error)
    })
    if (!spoken) failures += 1
    return spoken ?? undefined
  }
}

/** Speaks as many at once as the voice accepts. */
async function speakAtOnce<T, R>(
  items: readonly T[],
  { concurrency }: LineVoice,
  speak: (item: T) => Promise<R>,
): Promise<R[]> {
  const limit = limitConcurrency(concurrency)
  const work = items.map((item) => limit(() => speak(item)))
  // All requests end before the voice is closed.
  await Promise.allSettled(work)
  return await Promise.all(work)
}

interface SpeakLineOptions extends Pick<SpeakLinesOptions, 'voice' | 'signal'> {
  /** Aborted when the line is no longer needed. */
  readonly until: AbortSignal
}

async function speakLine(of: LineText, { until, ...options }: SpeakLineOptions): Promise<SpokenLine> {
  const silent = silentLine(of, options)
  if (of.text === '') return silent
  const { speaker } = of.line
  const { samples, rate, lostShare, addedShare } = await options.voice.speak(of.text, {
    speaker,
    signal: until,
  })
  const { from, to } = soundSpan(samples, rate)
  return { ...silent, synth: Math.round((1000 * (to - from)) / rate), lostShare, addedShare }
}

function silentLine(
  { line, text, rewriteRounds }: LineText,
  { voice, signal }: Pick<SpeakLinesOptions, 'voice' | 'signal'>,
): SpokenLine {
  // A voice that has spoken a text returns its stored speech.
  const read = () => voice.speak(text, { speaker: line.speaker, signal })
  return { line, text, rewriteRounds, read, synth: 0 }
}

/**
 * Returns lines with the number of characters that fits their time: by the speed at which the voice says other lines, and not
 * more (or less) than by that of the line itself.
 */
function rewriteRequests(wanted: readonly LineToRewrite[], spoken: readonly SpokenLine[]) {
  const budget = measureSpeechRates(
    spoken.map(({ line: { speaker }, text, synth }) => ({ speaker, text, synth })),
  )
  return wanted.flatMap(({ index, direction, target }) => {
    const one = spoken[index]
    if (!one) return []
    const { line, text, synth } = one
    const counts = [budget(line.speaker, target), Math.floor((textLength(text) * target) / synth)]
    const budgetChars = direction === 'shorter' ? Math.min(...counts) : Math.max(...counts)
    return [{ index, source: line.text, text, budgetChars, direction }]
  })
}

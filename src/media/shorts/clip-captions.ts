import type { Rational } from '../../contract/media-facts.ts'
import { retimeWords } from '../cut/retime.ts'
import { frameTime } from '../frame-rate.ts'
import type { Size } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { joinWords } from '../speech/words.ts'
import { lettersPerLine } from '../subtitles/line-length.ts'
import { closePauses, type Cue, splitIntoCues } from '../subtitles/split-cues.ts'
import { stripPunctuation } from '../subtitles/strip-punctuation.ts'
import { estimateWidth } from '../subtitles/text-width.ts'
import { rankBreak } from '../subtitles/wrap.ts'

/** A word of a clip with its punctuation. Times are seconds of the recording. */
export interface ClipWord extends TimedWord {
  /** Whether a sentence ends with it. */
  readonly endsSentence: boolean
}

/** Where the words of a clip are shown. */
export interface ClipTiming {
  /** Kept source frames, ascending. */
  readonly ranges: readonly FrameSpan[]
  readonly rate: Rational
  /** Seconds of the cut per second of the clip. Default: 1. */
  readonly speed?: number
}

/** Returns words with their times on the clip, after its cuts and its speed, seconds. */
export function clipTimes<Word extends TimedWord>(
  words: readonly Word[],
  { ranges, rate, speed = 1 }: ClipTiming,
): Word[] {
  const times = retimeWords(words, ranges, rate)
  return words.map((word, index) => ({
    ...word,
    ...{ start: (times[index]?.start ?? 0) / speed, end: (times[index]?.end ?? 0) / speed },
  }))
}

/**
 * Pause after which another caption begins, seconds; and within a phrase, such as after an article, where a speaker only
 * searches for the word.
 */
const captionPause = { usual: 0.5, withinPhrase: 1.5 }

/** A caption of a clip. Times are ms of the clip. */
export interface ClipCaption extends Cue {
  /** Whether a sentence ends with it. */
  readonly endsSentence: boolean
}

/** Lines per caption. */
const maxLines = 2

export interface ClipCaptionsOptions extends ClipTiming {
  /** Size of the picture, which decides the length of lines. */
  readonly size: Size
  /** Replaces commas and periods by spaces. */
  readonly strip: boolean
  /** Most lines of a caption. Default: 2. */
  readonly lines?: number
}

/**
 * Returns the captions of a clip on its own time, milliseconds. They follow its words, end within the clip and do not
 * overlap. Lines have about 13 full-width characters in portrait pictures and 20 in landscape ones.
 */
export function clipCaptions(words: readonly ClipWord[], options: ClipCaptionsOptions): ClipCaption[] {
  const { size, strip, ranges, rate, speed = 1, lines = maxLines } = options
  const room = { width: lettersPerLine(size), measure: estimateWidth, lines }
  const frames = ranges.reduce((sum, { first, end }) => sum + end - first, 0)
  const clipEnd = Math.round((1000 * frameTime(frames, rate)) / speed)
  const written = (line: string) => (strip ? stripPunctuation(line) : line.trim())
  const cues = phrases(clipTimes(words, options))
    .flatMap((phrase) => phraseCaptions(phrase, room))
    .map((cue) => ({ ...cue, lines: cue.lines.map(written).filter((line) => line !== '') }))
    .filter((cue) => cue.lines.length > 0)
  return closePauses(inOrder(cues))
    .map((cue) => ({ ...cue, end: Math.min(cue.end, clipEnd) }))
    .filter(({ start, end }) => end > start)
}

/** Words that are shown without a pause: at most a sentence. */
function phrases(words: readonly ClipWord[]): ClipWord[][] {
  const result: ClipWord[][] = []
  for (const [index, word] of words.entries()) {
    const phrase = result.at(-1)
    if (phrase && continuesPhrase(phrase, words.slice(index, index + contextWords))) phrase.push(word)
    else result.push([word])
  }
  return result
}

/** Words on each side that show whether a pause is within a phrase. */
const contextWords = 4

function continuesPhrase(phrase: readonly ClipWord[], following: readonly ClipWord[]): boolean {
  const [last, next] = [phrase.at(-1), following[0]]
  if (!last || !next || last.endsSentence) return false
  const pause = next.start - last.end
  if (pause < captionPause.usual || pause >= captionPause.withinPhrase) return pause < captionPause.usual
  const before = joinWords(phrase.slice(-contextWords).map(({ text }) => text))
  const rank = rankBreak(joinWords([before, ...following.map(({ text }) => text)]), before.length)
  return rank === undefined || rank === 'inside' || rank === 'unit'
}

/** Captions of a phrase; each begins and ends with its words. */
function phraseCaptions(
  words: readonly ClipWord[],
  room: Parameters<typeof splitIntoCues>[1],
): ClipCaption[] {
  const toMilliseconds = (seconds: number | undefined) => Math.round(1000 * (seconds ?? 0))
  const [start, end] = [toMilliseconds(words[0]?.start), toMilliseconds(words.at(-1)?.end)]
  const cues = splitIntoCues({ start, end, text: joinWords(words.map(({ text }) => text)) }, room)
  let next = 0
  return cues.map((cue, index) => {
    const first = next
    let length = lettersOf(cue.lines.join('')).length
    while (length > 0 && next < words.length) {
      length -= lettersOf(words[next]?.text ?? '').length
      next += 1
    }
    // A word that is divided belongs to the caption in which it begins.
    const from = words[Math.min(first, words.length - 1)]
    const to = words[Math.max(first, next - 1)] ?? words.at(-1)
    const endsSentence = index === cues.length - 1 && words.at(-1)?.endsSentence === true
    return { ...cue, start: toMilliseconds(from?.start), end: toMilliseconds(to?.end), endsSentence }
  })
}

const lettersOf = (text: string) => text.replaceAll(/\s/gu, '')

/** Shortest caption that overlapping times leave, milliseconds. */
const minCaption = 40

/** Captions of which none begins before the one before it ends. */
function inOrder(cues: readonly ClipCaption[]): ClipCaption[] {
  let free = 0
  return cues.map((cue, index) => {
    const start = Math.max(cue.start, free)
    const next = cues[index + 1]?.start ?? Infinity
    free = Math.max(start + minCaption, Math.min(cue.end, next))
    return { ...cue, start, end: free }
  })
}

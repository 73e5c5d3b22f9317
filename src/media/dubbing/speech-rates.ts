import { estimateSpeechSeconds } from '../speech/sentences.ts'

/** A text and the duration of its speech at speed 1. */
export interface SpokenText {
  readonly speaker: number
  readonly text: string
  readonly synth: number
}

/** Returns how many characters a speaker says in `ms` at speed 1, rounded down. */
export type CharacterBudget = (speaker: number, ms: number) => number

/** Number of characters of a text, as Unicode code points. */
export function textLength(text: string): number {
  return [...text.trim()].length
}

/**
 * Measures the characters per second of each speaker. A speaker without speech has the rate of all; without any speech the
 * rate is estimated from the texts.
 */
export function measureSpeechRates(lines: readonly SpokenText[]): CharacterBudget {
  const rates = new Map<number, number>()
  for (const [speaker, spoken] of Map.groupBy(lines, (line) => line.speaker)) {
    const rate = charactersPerSecond(spoken)
    if (rate > 0) rates.set(speaker, rate)
  }
  const common = charactersPerSecond(lines) || estimatedRate(lines)
  return (speaker, ms) => Math.floor(((rates.get(speaker) ?? common) * ms) / 1000)
}

/** 0 without speech. */
function charactersPerSecond(lines: readonly SpokenText[]): number {
  const spoken = lines.filter(({ synth }) => synth > 0)
  const seconds = spoken.reduce((sum, { synth }) => sum + synth, 0) / 1000
  return seconds > 0 ? totalCharacters(spoken) / seconds : 0
}

function estimatedRate(lines: readonly SpokenText[]): number {
  const seconds = lines.reduce((sum, { text }) => sum + estimateSpeechSeconds(text.trim()), 0)
  return seconds > 0 ? totalCharacters(lines) / seconds : 0
}

function totalCharacters(lines: readonly SpokenText[]): number {
  return lines.reduce((sum, { text }) => sum + textLength(text), 0)
}

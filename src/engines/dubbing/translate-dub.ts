import type { DubLine } from '../../media/dubbing/dub-lines.ts'
import { estimateSpeechSeconds } from '../../media/speech/sentences.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import { isWrittenIn, type LanguagePair } from '../translation/languages.ts'
import { translateLines } from '../translation/translate-lines.ts'

interface TranslateDubOptions {
  readonly model: LanguageModel
  readonly signal: AbortSignal
  /** Called with 0 to 1. */
  readonly onShare: (share: number) => void
}

/**
 * Translates lines for speech of about the same length. A line without a usable translation is empty; throws if there are
 * more than a tenth.
 */
export async function translateDub(
  lines: readonly DubLine[],
  pair: LanguagePair,
  options: TranslateDubOptions,
): Promise<string[]> {
  const letterSeconds = estimateSpeechSeconds(usualLetter(pair.to))
  const lengths = lines.map(({ start, end }) => Math.max(1, Math.round((end - start) / 1000 / letterSeconds)))
  const texts = lines.map(({ text }) => text)
  const translated = await translateLines(texts, pair, { ...options, lengths })
  return translated.lines.map((text = '') => text.replaceAll(/\s+/gu, ' ').trim())
}

/** A letter of the script of a language. */
function usualLetter(language: string): string {
  return ['字', '한'].find((letter) => isWrittenIn(language, letter)) ?? 'a'
}

import type { SubtitleLanguage } from '../../src/contract/languages.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { RunContext } from '../../src/contract/operation.ts'
import { openClipModel } from '../../src/engines/shorts/open-model.ts'
import type { PlannedClip } from '../../src/engines/shorts/plan-clips.ts'
import { typefaceFor } from '../../src/engines/subtitles/typefaces.ts'
import { translateLines } from '../../src/engines/translation/translate-lines.ts'
import type { Size } from '../../src/media/geometry.ts'
import { type CaptionSentence, captionSentences } from '../../src/media/shorts/caption-sentences.ts'
import { type ClipCaption, clipCaptions } from '../../src/media/shorts/clip-captions.ts'
import type { HighlightedWords } from '../../src/media/shorts/highlight-times.ts'
import { type BurnedCue, burnedSubtitles } from '../../src/media/subtitles/burned-subtitles.ts'
import { divideText } from '../../src/media/subtitles/divide-text.ts'
import type { Degradations } from './degradations.ts'
import type { Long2shortProInput } from './plan.ts'

/** What the subtitles of all clips have in common. */
export interface SubtitleJob {
  readonly input: Long2shortProInput
  readonly rate: Rational
  /** Canvas. */
  readonly size: Size
  readonly degradations: Degradations
  readonly context: Pick<RunContext, 'signal' | 'steps' | 'askTask' | 'scratch' | 'progress'>
}

/** Returns the cues of each clip on its own time, by its index; with translations if requested and possible. */
export async function subtitleCues(
  clips: readonly PlannedClip[],
  job: SubtitleJob,
): Promise<ReadonlyMap<number, readonly BurnedCue[]>> {
  const { input, rate, size } = job
  const { enable, translate_language: to } = input.subtitle
  if (!enable) return new Map()
  const speed = input.speed.factor
  // Punctuation shows a translator where sentences end, and where lines are divided. It is removed afterwards.
  const spoken = new Map(
    clips.map(({ index, words, ranges }) => [
      index,
      clipCaptions(words, { ranges, rate, size, strip: false, speed }),
    ]),
  )
  const indexes = clips.map(({ index }) => index)
  const translated =
    to === undefined || isSameWriting(input.language, to)
      ? undefined
      : await job.degradations.attempt('subtitle', indexes, () => translateCues(spoken, to, job))
  return translated ?? spoken
}

/** Explains why subtitles have no second language although one was requested; empty if they have one. */
export function translationNotes({ language, subtitle }: Long2shortProInput): string[] {
  const { enable, translate_language: to } = subtitle
  if (!enable || to === undefined || !isSameWriting(language, to)) return []
  return [`subtitle.translate_language: ${to} is the language of the video, so its lines have no translation`]
}

/** Both codes of simplified Chinese are one language. */
function isSameWriting(one: SubtitleLanguage, other: SubtitleLanguage): boolean {
  const code = (language: SubtitleLanguage) => (language === 'zh-CHS' ? 'zh-CN' : language)
  return code(one) === code(other)
}

/** Translates the sentences of all clips at once, so that names agree, and divides them over their captions. */
async function translateCues(
  captions: ReadonlyMap<number, readonly ClipCaption[]>,
  to: SubtitleLanguage,
  { input, degradations, context }: SubtitleJob,
): Promise<ReadonlyMap<number, readonly BurnedCue[]>> {
  await using opened = await openClipModel(context)
  const { model } = opened
  if (!model) {
    const reason = opened.failure() ?? 'no language model is configured'
    for (const clip of captions.keys()) degradations.add('subtitle', clip, `not translated: ${reason}`)
    return captions
  }
  const sentences = new Map([...captions].map(([clip, list]) => [clip, captionSentences(list)]))
  const { lines } = await translateLines(
    [...sentences.values()].flat().map(({ text }) => text),
    { from: input.language, to },
    { model, signal: context.signal, onShare: (share) => context.progress(100 * share) },
  )
  const translations = lines.values()
  return new Map(
    [...sentences].map(([clip, list]) => {
      const translated = list.flatMap((sentence) => translatedCues(sentence, translations.next().value))
      const missing = translated.filter((cue) => cue.translation === undefined).length
      if (missing > 0)
        degradations.add('subtitle', clip, `${missing} of ${translated.length} lines were not translated`)
      return [clip, translated]
    }),
  )
}

/** Captions with their parts of a translation. Where it has fewer words than captions, its last part stays. */
function translatedCues({ captions }: CaptionSentence, translation: string | undefined): BurnedCue[] {
  if (translation === undefined) return [...captions]
  const parts = divideText(
    translation,
    captions.map(({ lines }) => lines.join('').length),
  )
  return captions.map((caption, index) => ({
    ...caption,
    translation: parts[index] || (parts.findLast((part) => part !== '') ?? translation),
  }))
}

/** Returns the .ass file of a clip's subtitles; undefined if nothing is said in it. */
export async function clipSubtitles(
  cues: readonly BurnedCue[],
  highlights: readonly HighlightedWords[],
  { input, size, context }: SubtitleJob,
): Promise<string | undefined> {
  if (cues.length === 0) return undefined
  const { scratch, signal } = context
  const { translate_language: translated, strip_punctuation: strip } = input.subtitle
  return burnedSubtitles(cues, {
    ...{ canvas: size, strip },
    typeface: await typefaceFor(input.language, { scratch, signal }),
    ...(translated && { translationTypeface: await typefaceFor(translated, { scratch, signal }) }),
    highlights: highlights.map(({ text, begin_time, end_time }) => ({
      ...{ text, start: 1000 * begin_time, end: 1000 * end_time },
    })),
  })
}

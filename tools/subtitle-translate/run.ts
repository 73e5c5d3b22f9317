import { readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { RunOperation } from '../../src/contract/operation.ts'
import { openLanguageModel } from '../../src/engines/language-model/open.ts'
import { cacheAnswers } from '../../src/engines/language-model/answer-cache.ts'
import { isLikelyOtherLanguage } from '../../src/engines/translation/languages.ts'
import { translateLines } from '../../src/engines/translation/translate-lines.ts'
import { entryPassages, sentencePassages, type Passage } from '../../src/media/subtitles/passages.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import type { subtitleTranslate } from './contract.ts'
import { createCues, type TranslatedCue } from './cues.ts'
import { createLayout, mainStyle, type SubtitleLayout } from './layout.ts'
import { formatOf } from './plan.ts'
import { writeSubtitles } from './write.ts'

/** Reads the file, translates it line by line or sentence by sentence, and breaks and writes what came. */
export const run: RunOperation<typeof subtitleTranslate> = async (input, context) => {
  const { line_mode, language, translate_language, strip_punctuation: strip } = input
  const { scratch, signal } = context
  const { name, path } = context.files.get(input.file_id)
  const format = formatOf(name)
  const subtitles = readSubtitles(await readFile(path), { format, language })
  const passages = line_mode === 'keep' ? entryPassages(subtitles) : sentencePassages(subtitles)
  const texts = passages.map(({ text }) => text)
  await using model = await openLanguageModel(context)
  // First, so that nothing long comes after the last answer.
  const page = await createLayout(input, subtitles, { name: mainStyle(subtitles), scratch, signal })
  context.progress(percent.page)
  const translated = await translateLines(
    texts,
    { from: language, to: translate_language },
    {
      model: cacheAnswers(model, context.steps),
      signal,
      onShare: (share) => context.progress(percent.page + (percent.translated - percent.page) * share),
    },
  )
  const paired = passages.map((passage, at) => ({ passage, text: translated.lines[at] }))
  const output_format = input.output_format ?? format
  const { cues, dropped } = createCues(paired, page, { strip, from: format, to: output_format })
  const made = join(scratch, `subtitles.${output_format}`)
  const written = writeSubtitles(output_format, { subtitles, cues, page, strip })
  await writeFile(made, written.bytes)
  const kept = context.keep({ path: made, name: `${nameOf(name)}.${translate_language}.${output_format}` })
  const left = paired.filter(({ text }) => text === undefined).flatMap(({ passage }) => passage.entries)
  const notes = [
    ...(left.length > 0 ? [untranslated(left.map(({ line }) => line))] : []),
    ...(isLikelyOtherLanguage(language, texts) ? [foreign(language)] : []),
  ]
  return {
    ...{
      subtitle_file_id: kept.file_id,
      subtitle_file_download_url: kept.download_url,
      output_format,
      line_mode,
    },
    stats: {
      input_lines: passages.reduce((sum, { entries }) => sum + entries.length, 0),
      output_lines: written.entries,
      skipped_total: subtitles.skipped.length + dropped + written.dropped,
    },
    degraded: {
      summary: !translated.hasBrief,
      width_budget: !isMeasured(cues, passages, page),
      translation: translated.wasAskedAgain,
    },
    translator: model.name,
    untranslated_lines: left.length,
    ...(notes.length > 0 && { notes }),
  }
}

/** How far the work is, of 100, once fonts are measured, and once all lines are translated. */
const percent = { page: 5, translated: 98 }

/** Whether the fonts of all that is shown are known. */
function isMeasured(
  cues: readonly TranslatedCue[],
  passages: readonly Passage[],
  { translation, original }: SubtitleLayout,
): boolean {
  const shown = cues.every(({ lines = [] }) => lines.every((line) => translation.typeface.isMeasured(line)))
  return (
    shown &&
    (!original || passages.every(({ text }) => original.typeface.isMeasured(text.replaceAll('\n', ''))))
  )
}

const foreign = (language: string) =>
  `Hardly a line of the file has letters of ${language}, which language says it is in: if it is in another one, translate it again with that`

/** Places that are told in a note. */
const mostTold = 20

function untranslated(lines: readonly number[]): string {
  const told = lines.slice(0, mostTold).join(', ')
  const rest = lines.length > mostTold ? ` and ${lines.length - mostTold} more` : ''
  return `These entries kept their own words, as the language model gave none (by line of the file): ${told}${rest}`
}

/** Of a file's name what tells one from another. */
function nameOf(name: string): string {
  return [...parse(name).name].slice(0, 60).join('')
}

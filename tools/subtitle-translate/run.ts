import { readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { summarizeList } from '../../src/contract/format.ts'
import type { RunOperation } from '../../src/contract/operation.ts'
import { openLanguageModel } from '../../src/engines/language-model/open.ts'
import { cacheAnswers } from '../../src/engines/language-model/answer-cache.ts'
import { isLikelyOtherLanguage } from '../../src/engines/translation/languages.ts'
import { translateLines } from '../../src/engines/translation/translate-lines.ts'
import { entryPassages, sentencePassages, type Passage } from '../../src/media/subtitles/passages.ts'
import { subtitleFormat } from '../../src/media/subtitles/subtitle-format.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import type { subtitleTranslate } from './contract.ts'
import { createCues, fitsCue, resegmentNotes, type TranslatedCue } from './cues.ts'
import { createLayout, mainStyle, type SubtitleLayout } from './layout.ts'
import { writeSubtitles } from './write.ts'

/** Reads the file, translates it by entries or by sentences, wraps the translation and writes the result. */
export const run: RunOperation<typeof subtitleTranslate> = async (input, context) => {
  const { line_mode, language, translate_language, strip_punctuation: strip } = input
  const { scratch, signal } = context
  const { name, path } = context.files.get(input.file_id)
  const format = subtitleFormat(name, 'file_id')
  const subtitles = readSubtitles(await readFile(path), { format, language, dropControls: true })
  await using model = await openLanguageModel(context)
  // Fonts are measured first, so that no slow step follows the last answer.
  const layout = await createLayout(input, subtitles, { name: mainStyle(subtitles), scratch, signal })
  const fits = (text: string) => fitsCue(text, layout)
  const passages = line_mode === 'keep' ? entryPassages(subtitles) : sentencePassages(subtitles, fits)
  const texts = passages.map(({ text }) => text)
  context.progress(percent.measured)
  const translated = await translateLines(
    texts,
    { from: language, to: translate_language },
    {
      model: cacheAnswers(model, context.steps),
      signal,
      onShare: (share) =>
        context.progress(percent.measured + (percent.translated - percent.measured) * share),
    },
  )
  const paired = passages.map((passage, at) => ({ passage, text: translated.lines[at] }))
  const output_format = input.output_format ?? format
  const { cues, dropped } = createCues(paired, layout, { strip, from: format, to: output_format })
  const resultPath = join(scratch, `subtitles.${output_format}`)
  const written = writeSubtitles(output_format, { subtitles, cues, layout, strip })
  await writeFile(resultPath, written.bytes)
  const resultName = `${nameOf(name)}.${translate_language}.${output_format}`
  const kept = context.keep({ path: resultPath, name: resultName })
  const left = paired.filter(({ text }) => text === undefined).flatMap(({ passage }) => passage.entries)
  const notes = [
    ...(line_mode === 'keep' ? [] : resegmentNotes(passages, cues)),
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
      width_budget: !isMeasured(cues, passages, layout),
      translation: translated.wasAskedAgain,
    },
    translator: model.name,
    untranslated_lines: left.length,
    ...(notes.length > 0 && { notes }),
  }
}

/** Progress in percent after fonts are measured, and after all lines are translated. */
const percent = { measured: 5, translated: 98 }

/** Whether the widths of all shown lines are measured, not estimated. */
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
  `Hardly any line of the file has letters of ${language}, the value of language. If the file is in another language, translate it again with that value`

/** Maximum number of lines that a note lists. */
const maxListed = 20

function untranslated(lines: readonly number[]): string {
  const list = summarizeList(lines.map(String), maxListed, ', ')
  return `The language model returned no translation for these entries, which are unchanged (by line of the file): ${list}`
}

/** Returns the name of a file without extension, up to 60 characters. */
function nameOf(name: string): string {
  return [...parse(name).name].slice(0, 60).join('')
}

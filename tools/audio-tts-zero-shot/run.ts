import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import { spokenLanguage } from '../../src/contract/languages.ts'
import type { InputOf, OutputOf, RunContext, RunOperation } from '../../src/contract/operation.ts'
import { speedNotes } from '../../src/engines/voice/check-speed.ts'
import { openEngines } from '../../src/engines/voice/engines.ts'
import { prepareReference, type PreparedReference } from '../../src/engines/voice/prepare-reference.ts'
import { type AssembledSpeech, assembleSpeech, writeSpeech } from '../../src/engines/voice/speech-file.ts'
import { speakSentences } from '../../src/engines/voice/synthesize.ts'
import { splitSentences } from '../../src/media/speech/sentences.ts'
import type { audioTtsZeroShot } from './contract.ts'
import { makeSubtitles } from './subtitles.ts'

type Operation = typeof audioTtsZeroShot
type Output = OutputOf<Operation>

/** Default pause between sentences, seconds. */
const defaultPauseSeconds = 0.3

/** Share of the progress taken by the reference, percent. */
const referencePercent = 10

/** Prepares the reference and synthesizes the text, sentence by sentence. */
export const run: RunOperation<Operation> = async (input, context) => {
  const { signal, steps } = context
  const { speed, output_format: format } = input
  const language = spokenLanguage(input.text_lang)
  const sentences = splitSentences(input.text)
  await using engines = await openEngines(input, context)
  const reference = context.files.get(input.ref_file_id)
  const prepared = await prepareReference(reference, input, { ...engines, signal })
  context.progress(referencePercent)
  const assembled = await assembleSpeech(
    speakSentences(sentences, engines, { language, reference: prepared.reference, speed, signal, steps }),
    {
      path: join(context.scratch, 'speech.f32'),
      pause: input.fragment_interval ?? defaultPauseSeconds,
      onSpoken: (count) =>
        context.progress(referencePercent + ((100 - referencePercent) * count) / sentences.length),
    },
  )
  const path = join(context.scratch, `speech.${format}`)
  await writeSpeech(assembled, { path, format, signal })
  const name = resultName(sentences)
  const notes = [
    ...prepared.notes,
    ...assembled.sentencesWithLosses.map(lostWordsNote),
    ...assembled.sentencesWithAdditions.map(addedWordsNote),
    ...(await speedNotes(assembled, {
      ...{ cloner: engines.cloner, reference: prepared.reference, language, speed, signal },
    })),
  ]
  return {
    ...context.keep({ path, name: `${name}.${format}` }),
    ...{ speaker: 'zero_shot', voice_id: 'zero_shot', engine: engines.cloner.name },
    sample_rate: assembled.rate,
    duration_ms: Math.round(assembled.seconds * 1000),
    segments_source: 'assembled',
    segments: sentenceSegments(assembled),
    ...(await writeSpeechSubtitles(input, assembled, { context, name })),
    report: { ref: referenceReport(prepared) },
    ...(notes.length > 0 && { notes }),
  }
}

/** File name from the beginning of the text. */
function resultName([first = 'speech']: readonly string[]): string {
  const plain = first.replaceAll(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ')
  return (
    [...plain]
      .slice(0, 30)
      .join('')
      .replaceAll(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '') || 'speech'
  )
}

/** Sentences with their times; each ends where the next one starts. */
function sentenceSegments({ placed, seconds }: AssembledSpeech): Output['segments'] {
  const starts = [0, ...placed.slice(1).map(({ start }) => start), seconds].map((at) => Math.round(at * 1000))
  return placed.map(({ text }, index) => ({
    ...{ index, text },
    start_ms: starts[index] ?? 0,
    end_ms: starts[index + 1] ?? 0,
  }))
}

type SubtitleOutput = Pick<Output, 'subtitle_file_id' | 'subtitle_file_download_url' | 'errors'>

/** Writes subtitles if requested. A failure is reported and does not fail the task. */
async function writeSpeechSubtitles(
  { subtitle_format, canvas = [1080, 1920], strip_punctuation: strip = true }: InputOf<Operation>,
  assembled: AssembledSpeech,
  { context, name }: { context: Pick<RunContext, 'scratch' | 'keep'>; name: string },
): Promise<SubtitleOutput> {
  if (subtitle_format === undefined) return {}
  try {
    const path = join(context.scratch, 'speech.srt')
    await writeFile(path, makeSubtitles(assembled, { canvas, strip }))
    const { file_id, download_url } = context.keep({ path, name: `${name}.srt` })
    return { subtitle_file_id: file_id, subtitle_file_download_url: download_url }
  } catch (error) {
    // Disk errors contain paths: do not report them. Anything else is a bug.
    const isOfDisk = error instanceof Error && 'syscall' in error
    if (!isOfDisk && !(error instanceof MediaError)) throw error
    const subtitle = isOfDisk ? 'the file could not be written' : error.message
    return { subtitle_file_id: '', subtitle_file_download_url: '', errors: { subtitle } }
  }
}

function referenceReport({
  span,
  recogniser,
  separator,
  gain,
  source,
  confidence,
  reference,
}: PreparedReference): Output['report']['ref'] {
  return {
    span_ms: [span.start, span.end].map((at) => Math.round(at * 1000)),
    separated: separator !== null,
    separator,
    gain_db: gain,
    text_source: source,
    asr_confidence: confidence,
    recogniser,
    ref_text: reference.text,
    ref_lang: reference.language,
  }
}

function lostWordsNote({ text, lostShare }: AssembledSpeech['sentencesWithLosses'][number]): string {
  return `of "${shortText(text)}" ${Math.round(100 * lostShare)} % of the words were not recognised after three attempts: check it by ear`
}

function addedWordsNote({ text, addedShare }: AssembledSpeech['sentencesWithAdditions'][number]): string {
  return `in "${shortText(text)}" ${Math.round(100 * addedShare)} % of the recognised words are not in the text after three attempts, such as repetitions: check it by ear`
}

const shortText = (text: string): string => [...text].slice(0, 40).join('')

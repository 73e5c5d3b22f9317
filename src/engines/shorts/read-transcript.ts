import { readFile } from 'node:fs/promises'
import { MediaError } from '../../contract/errors.ts'
import type { RecognitionLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Stt } from '../../contract/stt.ts'
import type { SpeechLevels } from '../../media/cut/edges.ts'
import { type Transcript, transcriptFromStt, transcriptFromSubtitles } from '../../media/speech/transcript.ts'
import { subtitleFormat } from '../../media/subtitles/subtitle-format.ts'
import { readSubtitles } from '../../media/subtitles/read.ts'
import { hearRecording, measureLevels } from '../cutting/hear-recording.ts'

/** Where the words of a recording come from: a transcript, subtitles, or else a recogniser. */
export interface SpokenRequest {
  /** Spoken language. */
  readonly language: RecognitionLanguage
  readonly stt?: Stt | undefined
  readonly subtitles?: StagedFile | undefined
}

/**
 * Returns the transcript of a recording, and its levels. Of words without sentences nothing can be selected: throws 6016,
 * as for subtitles that are bilingual, layered or empty, and for a recording in which nothing is said.
 */
export async function readTranscript(
  file: StagedFile,
  { language, stt, subtitles }: SpokenRequest,
  context: Pick<RunContext, 'signal' | 'steps' | 'progress'>,
): Promise<{ readonly transcript: Transcript; readonly levels: SpeechLevels }> {
  if (stt) {
    if (stt.sentence_tc_list.length === 0) throw noSentences()
    const transcript = transcriptFromStt(stt, (file.facts?.duration_ms ?? 0) / 1000)
    return { transcript, levels: await measureLevels(file, context.signal) }
  }
  if (subtitles) {
    const read = readSubtitles(await readFile(subtitles.path), {
      ...{ format: subtitleFormat(subtitles.name, 'subtitle_file_id'), language, dropControls: true },
    })
    const transcript = transcriptFromSubtitles(read, 'subtitle_file_id')
    return { transcript, levels: await measureLevels(file, context.signal) }
  }
  return await hearRecording(file, { la: language }, context)
}

function noSentences(): MediaError {
  return new MediaError(6016, 'stt.sentence_tc_list is empty: without sentences nothing can be selected', {
    hint: 'Add the sentences of the transcript, or omit stt to have the speech recognised.',
  })
}

/** Largest part of a sentence that may be said after the end of the picture, seconds. */
const endTolerance = 0.5

/** Returns what of a transcript is said before a time: whole sentences, and their words. */
export function transcriptUntil(transcript: Transcript, seconds: number): Transcript {
  const sentences = transcript.sentences.filter(({ end }) => end <= seconds + endTolerance)
  const count = (sentences.at(-1)?.last ?? -1) + 1
  const lineEnds = transcript.lineEnds?.filter((last) => last < count)
  return { ...transcript, words: transcript.words.slice(0, count), sentences, ...(lineEnds && { lineEnds }) }
}

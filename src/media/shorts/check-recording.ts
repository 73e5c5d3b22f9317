import { MediaError } from '../../contract/errors.ts'
import type { RequestFiles } from '../../contract/operation.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import type { ClipRequest } from '../../contract/shorts.ts'
import { transcriptFromStt } from '../speech/transcript.ts'
import { subtitleLimits } from '../subtitles/check.ts'
import { subtitleFormat } from '../subtitles/subtitle-format.ts'

/** A recording of which clips are made. */
interface ClipRecording {
  readonly facts: MediaFacts
  /** Whether its transcript is given. */
  readonly isGiven: boolean
}

/**
 * Checks that a video has sound to recognise, and its given transcript as far as the times. Throws 6014 and 6016.
 */
export function checkClipRecording(
  { file_id, stt, subtitle_file_id }: Pick<ClipRequest, 'file_id' | 'stt' | 'subtitle_file_id'>,
  files: RequestFiles,
): ClipRecording {
  const { name, facts } = files.get(file_id)
  if (!facts?.video) throw new MediaError(6014, `file_id: ${name} has no picture`, { hint: 'Give a video.' })
  const isGiven = stt !== undefined || subtitle_file_id !== undefined
  if (facts.audio.length === 0 && !isGiven) {
    throw new MediaError(6014, `file_id: ${name} has no sound`, {
      hint: 'Give a video in which somebody speaks, or its transcript as stt.',
    })
  }
  if (subtitle_file_id !== undefined) {
    const subtitles = files.get(subtitle_file_id)
    subtitleFormat(subtitles.name, 'subtitle_file_id')
    if (subtitles.size > subtitleLimits.bytes) {
      throw new MediaError(6016, `subtitle_file_id: ${subtitles.name} is larger than 8 MB`, {
        hint: 'Keep only the lines of this video.',
      })
    }
  }
  if (stt) transcriptFromStt(stt, facts.duration_ms / 1000)
  return { facts, isGiven }
}

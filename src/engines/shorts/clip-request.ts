import type { z } from 'zod'
import type { RequestFiles, StagedFile } from '../../contract/operation.ts'
import type { clipFields, clipSourceFields, ClipRequest } from '../../contract/shorts.ts'
import { frameTime } from '../../media/frame-rate.ts'
import type { Size } from '../../media/geometry.ts'
import { clipTimes } from '../../media/shorts/clip-captions.ts'
import { highlightTimes } from '../../media/shorts/highlight-times.ts'
import type { PlanClipsRequest, PlannedClip, PlannedClips } from './plan-clips.ts'

/** Canvas of each ratio, pixels. */
const canvases: Readonly<Record<string, Size>> = {
  '9:16': { width: 1080, height: 1920 },
  '16:9': { width: 1920, height: 1080 },
  '1:1': { width: 1080, height: 1080 },
}

/** Returns the canvas of an `output_size`. */
export function clipCanvas(outputSize: ClipRequest['output_size']): Size {
  const [width = 0, height = 0] = outputSize.split('x').map(Number)
  return canvases[outputSize] ?? { width, height }
}

/** Returns what a request asks of `planClips`. */
export function planClipsRequest(
  { language, output_language, stt, subtitle_file_id, main_topic, jump_cut, duration }: ClipRequest,
  files: RequestFiles<StagedFile>,
): PlanClipsRequest {
  return {
    ...{ language, outputLanguage: output_language ?? language, stt, topic: main_topic, jumpCut: jump_cut },
    ...(subtitle_file_id !== undefined && { subtitles: files.get(subtitle_file_id) }),
    lengths: { preference: duration.pref, maxSeconds: duration.max_clip_sec },
  }
}

type DescribedFields = z.output<z.ZodObject<typeof clipFields & typeof clipSourceFields>>

/** Returns the described fields of a clip in a result. speed: seconds of the cut per second of the clip. */
export function describedClip(
  { metadata, ranges, words }: PlannedClip,
  { rate }: Pick<PlannedClips, 'rate'>,
  speed = 1,
): DescribedFields {
  const { highlight_words, tags, genres, moods, themes, ...others } = metadata
  const seconds = (frame: number | undefined) => Math.round(1000 * frameTime(frame ?? 0, rate)) / 1000
  return {
    ...others,
    ...{ tags: [...tags], genres: [...genres], moods: [...moods], themes: [...themes] },
    highlight_words: highlightTimes(highlight_words, clipTimes(words, { ranges, rate, speed })),
    ...{ source_start: seconds(ranges[0]?.first), source_end: seconds(ranges.at(-1)?.end) },
  }
}

import { MediaError } from '../../src/contract/errors.ts'
import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'
import type { InputOf, RequestFile, RequestFiles } from '../../src/contract/operation.ts'
import { hertz, nominalRate } from '../../src/media/frame-rate.ts'
import { type Rect, uprightSize } from '../../src/media/geometry.ts'
import { canvasSize } from '../../src/media/layout/canvas.ts'
import { chooseLayout, type ChooseLayoutOptions, orderlySeed } from '../../src/media/layout/choose.ts'
import { findLayout, type Layout } from '../../src/media/layout/layout.ts'
import type { videoSplitScreen } from './contract.ts'

export type SplitScreenInput = InputOf<typeof videoSplitScreen>

/** A clip with its probed file, its range and its crop. */
export interface SelectedClip<F extends RequestFile = RequestFile> {
  readonly file: F
  readonly video: VideoFacts
  /** Start of the range in the file, ms. */
  readonly beginMs: number
  /** End of the range in the file, ms. */
  readonly endMs: number
  /** Part of the upright picture, as shares of its sides, 0 to 1. */
  readonly crop: Rect
  /** Displayed width / height of the crop. */
  readonly aspect: number
}

/** Maximum total size of one decoded picture of each clip, pixels: sixteen of 1920 x 1080. */
const maxDecodedPixels = 16 * 1920 * 1080

/** Maximum duration of a result, ms: 6 hours. */
const maxResultMs = 6 * 3600 * 1000

/** Minimum side of a crop, source pixels: one sample of 4:2:0 chroma. */
const minCropSide = 2

/** Crop that keeps the whole picture. */
const fullFrame = { x: 0, y: 0, width: 1, height: 1 }

/**
 * Resolves the file, the range and the crop of each clip. Throws 6014 for a file that is not a video, 6016 for an
 * invalid range or crop or too many pixels, and 6021 for a range after the end of a truncated file.
 */
export function selectClips<F extends RequestFile>(
  input: SplitScreenInput,
  files: RequestFiles<F>,
): [SelectedClip<F>, ...SelectedClip<F>[]] {
  const [first, ...others] = input.clips.map((clip, index) =>
    selectClip(clip, files.get(clip.file_id), index),
  )
  if (!first) throw new MediaError(6013, 'clips is missing')
  const pixels = [first, ...others].reduce(
    (sum, { video }) => sum + video.coded_width * video.coded_height,
    0,
  )
  if (pixels > maxDecodedPixels) {
    const pictures = (pixels / (1920 * 1080)).toFixed(1)
    throw new MediaError(
      6016,
      `the clips together have as many pixels as ${pictures} pictures of 1920x1080; the maximum is 16`,
      {
        hint: 'Use fewer clips, or scale the largest sources down. A file used twice counts twice.',
      },
    )
  }
  return [first, ...others]
}

/** Returns the duration of the result, ms: that of the shortest clip. Throws 6016 above 6 hours. */
export function shortestMs(clips: readonly SelectedClip[]): number {
  const shortest = Math.min(...clips.map(({ beginMs, endMs }) => endMs - beginMs))
  if (shortest <= maxResultMs) return shortest
  throw new MediaError(6016, 'the shortest clip lasts longer than 6 hours', {
    hint: 'Set a shorter range with begin_time_ms and end_time_ms.',
  })
}

/** Returns the requested seed, or one derived from `fallback` that keeps the clips in order. */
export function selectSeed(
  input: SplitScreenInput,
  clips: readonly SelectedClip[],
  fallback: number,
): number {
  return input.random_seed ?? orderlySeed(layoutOptions(input, clips, fallback))
}

/**
 * Returns the requested layout, or the best one for the clips. Throws 6016 if the requested layout does not exist or
 * has another number of slots.
 */
export function selectLayout(input: SplitScreenInput, clips: readonly SelectedClip[], seed: number): Layout {
  if (input.layout_mode === 'auto') return chooseLayout(layoutOptions(input, clips, seed))
  const layout = findLayout(input.layout_id ?? 0)
  if (!layout) {
    throw new MediaError(6016, `layout_id: there is no layout ${input.layout_id}`, {
      hint: 'Run once with layout_mode auto and use the layout_id of the result.',
    })
  }
  if (layout.clips === clips.length) return layout
  throw new MediaError(
    6016,
    `layout_id: layout ${layout.id} has ${layout.clips} slots, but there are ${clips.length} clips`,
    {
      hint: 'Use a layout with as many slots as clips, or layout_mode auto.',
    },
  )
}

/** Difference between the aspect ratios of clip and result that comes from rounding to whole pixels: 854 x 480, 16:9. */
const aspectTolerance = 0.002

function layoutOptions(
  input: SplitScreenInput,
  clips: readonly SelectedClip[],
  seed: number,
): ChooseLayoutOptions {
  const canvas = canvasSize(input.output_ratio, input.quality)
  const canvasAspect = canvas.width / canvas.height
  return {
    aspects: clips.map(({ aspect }) =>
      Math.abs(aspect / canvasAspect - 1) < aspectTolerance ? canvasAspect : aspect,
    ),
    ratio: input.output_ratio,
    fit: input.fit_mode,
    seed,
  }
}

/** Resolves one clip. index: its position in `clips`, for error messages. */
function selectClip<F extends RequestFile>(
  clip: SplitScreenInput['clips'][number],
  file: F,
  index: number,
): SelectedClip<F> {
  const video = file.facts?.video
  const sourceMs = video ? video.duration_ms || (file.facts?.duration_ms ?? 0) : 0
  if (file.kind !== 'video' || !video || sourceMs <= 0) {
    throw new MediaError(6014, `clips[${index}].file_id: ${file.name} is not a video with moving pictures`, {
      hint: 'Pass a video with moving pictures. Create a video from a still picture first.',
    })
  }
  const beginMs = clip.begin_time_ms
  const endMs = Math.min(clip.end_time_ms || sourceMs, sourceMs)
  if (beginMs >= endMs) {
    const reason = `begin_time_ms ${beginMs} is not before the end ${endMs} (the video lasts ${sourceMs} ms)`
    throw new MediaError(6016, `clips[${index}]: ${reason}`, {
      hint: `Set begin_time_ms below ${endMs}.`,
    })
  }
  checkNotCutOff(file, endMs, index)
  const crop = clip.crop ?? fullFrame
  const { width, height } = uprightSize(video)
  if (crop.width * width < minCropSide || crop.height * height < minCropSide) {
    throw new MediaError(
      6016,
      `clips[${index}].crop: a side has fewer than ${minCropSide} pixels of ${file.name}`,
      {
        hint: `Enlarge the crop: the picture has ${width} x ${height} pixels, and width and height are shares of it.`,
      },
    )
  }
  return { file, video, beginMs, endMs, crop, aspect: (crop.width / crop.height) * displayAspect(video) }
}

/** Throws 6021 if a range ends after the point where its file is truncated. */
function checkNotCutOff({ name, facts }: RequestFile, endMs: number, index: number): void {
  const cutOffMs = facts?.cut_off_ms ?? Infinity
  // FLV packets have no duration, so `cut_off_ms` is an estimate. The run checks the picture itself.
  if (endMs <= cutOffMs || facts?.container === 'flv') return
  const cutOffSeconds = (cutOffMs / 1000).toFixed(1)
  throw new MediaError(
    6021,
    `clips[${index}].file_id: ${name} is cut off, there is no picture after ${cutOffSeconds} s`,
    {
      hint: `Export the file again, or end the clip earlier: set end_time_ms to at most ${cutOffMs}.`,
    },
  )
}

/** Returns the width / height of a video as displayed, after rotation and with its sample aspect ratio. */
function displayAspect(video: VideoFacts): number {
  const { num, den } = video.sample_aspect_ratio
  const { width, height } = uprightSize(video)
  return (width / height) * (video.rotation % 180 === 0 ? num / den : den / num)
}

/** Returns the names of the HDR files among the clips, without duplicates. They are tone-mapped. */
export function hdrClipNames(clips: readonly SelectedClip[]): string[] {
  return [...new Set(clips.flatMap(({ video, file }) => (video.hdr ? [file.name] : [])))]
}

/** Maximum frame rate of a result, frames per second. */
const maxOutputRate: Rational = { num: 60, den: 1 }

/** Returns the frame rate of a result: the highest of its sources, at most 60. */
export function outputRate(
  videos: readonly Pick<VideoFacts, 'frame_rate' | 'base_rate' | 'variable_rate'>[],
): Rational {
  const rates = videos.map(nominalRate)
  const highest = rates.reduce((one, other) => (hertz(other) > hertz(one) ? other : one), {
    num: 1,
    den: 1,
  })
  return hertz(highest) > hertz(maxOutputRate) ? maxOutputRate : highest
}

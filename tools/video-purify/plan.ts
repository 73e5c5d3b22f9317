import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile, PlanOperationWithTexts } from '../../src/contract/operation.ts'
import { checkRegionsSize } from '../../src/contract/regions.ts'
import { hertz, pictureEnd } from '../../src/media/frame-rate.ts'
import { videoPurify } from './contract.ts'
import { checkRegionStarts, readDetection } from './detection.ts'
import { purifySeconds, treatsPicture, type PurifyInput } from './estimate.ts'

/** Checks the video against the limits (contract 2, 4.1 and 8), then the list of regions; prices the video's length. */
export const plan: PlanOperationWithTexts<typeof videoPurify> = async (input, files, readText) => {
  const file = files.get(input.file_id)
  const { video, seconds } = checkVideo(file)
  checkLimits(input, file, { video, seconds })
  const { rois = [], regions = [], protect_regions, regions_file_id } = input
  checkRegionStarts({ rois, regions, protect_regions }, pictureEnd(video))
  if (regions_file_id !== undefined) {
    const { name, size } = files.get(regions_file_id)
    checkRegionsSize({ name: `regions_file_id: ${name}`, size })
    if (size <= maxParsedBytes) {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readText(regions_file_id))
      const list = readDetection({ name, text }, { fileId: input.file_id, end: pictureEnd(video) })
      if (list.regions.length > 0) checkTreated(file.name, video, { seconds, input })
    }
  }
  return {
    credits: creditsFor(videoPurify.price, Math.round(seconds * 1000)),
    seconds: purifySeconds(input, { video, seconds }),
  }
}

/**
 * Largest list of regions in a file that is parsed at creation, bytes. It holds thousands of regions, and blocks the
 * service for about 0.1 s, 0.2 s at worst. The worker parses a larger one.
 */
const maxParsedBytes = 2 ** 20

/** Checks the duration of a video and what is treated against the limits. Throws 6016, 6019 and 6035. */
export function checkLimits(
  input: PurifyInput,
  { name }: RequestFile,
  { video, seconds }: CheckedVideo,
): void {
  if (seconds > videoLimits.seconds) throw new MediaError(6019, `file_id: ${name} lasts longer than 2 hours`)
  // The list in a file is not known yet; with an empty one the video is only copied.
  if (treatsPicture(input) && input.regions_file_id === undefined)
    checkTreated(name, video, { seconds, input })
}

/**
 * Limits: longest video and longest inpainted video in seconds, longest side and shortest inpainted side in pixels,
 * highest frame rate.
 */
const videoLimits = { seconds: 7200, filledSeconds: 1200, side: 4000, filledSide: 128, rate: 120 }

interface CheckedVideo {
  readonly video: VideoFacts
  readonly seconds: number
}

/** Returns the video stream of a file and its stated duration in seconds. Throws 6014, 6019, 6021, 6022 and 6023. */
export function checkVideo({ name, kind, facts }: RequestFile): CheckedVideo {
  const video = facts?.video
  if (kind !== 'video' || !video || video.duration_ms <= 0) {
    throw new MediaError(6014, `file_id: ${name} is not a video with moving pictures`)
  }
  if (video.start_ms > videoLimits.seconds * 1000)
    throw new MediaError(6019, `file_id: the picture of ${name} begins after more than 2 hours`)
  const { width, height, coded_width, coded_height, frame_rate } = video
  if (Math.max(width, height, coded_width, coded_height) > videoLimits.side) {
    throw new MediaError(
      6022,
      `file_id: ${name} is ${width}x${height}; a side may have ${videoLimits.side} px`,
    )
  }
  if (hertz(frame_rate) > videoLimits.rate * (1 + rateTolerance)) {
    const rate = Math.round(10 * hertz(frame_rate)) / 10
    throw new MediaError(
      6023,
      `file_id: ${name} has ${rate} frames per second; at most ${videoLimits.rate} are supported`,
    )
  }
  checkNotTruncated(name, facts)
  return { video, seconds: video.duration_ms / 1000 }
}

/** An average rate may slightly exceed the actual frame rate. */
const rateTolerance = 0.002

/** FLV packets do not state their duration, so truncation cannot be determined. */
function checkNotTruncated(name: string, { container, cut_off_ms }: NonNullable<RequestFile['facts']>): void {
  if (cut_off_ms === undefined || container === 'flv') return
  throw new MediaError(6021, `file_id: ${name} is truncated after ${cut_off_ms / 1000} s`, {
    hint: 'Export the file again, or cut it before that point: video_timeline_render with that clip_ed writes a complete file.',
  })
}

/** Largest difference between stated and actual duration that is ignored, in seconds: headers round. */
const lengthTolerance = 0.5

/**
 * Throws 6017 if a video is longer than it was priced for, because its header states less and creation could not
 * measure it in time.
 */
export function checkPricedLength(name: string, stated: number, seconds: number): void {
  const credits = (length: number) => creditsFor(videoPurify.price, Math.round(length * 1000))
  if (seconds <= stated + lengthTolerance || credits(seconds) <= credits(stated)) return
  throw new MediaError(
    6017,
    `file_id: ${name} lasts ${Math.ceil(seconds)} s, but its header states ${Math.ceil(stated)}`,
    {
      hint: 'Copy it into a new file with a correct header: ffmpeg -i old.mkv -map 0 -c copy new.mkv',
    },
  )
}

/** Checks a video to treat against the limits. Throws 6016 and 6035. */
export function checkTreated(
  name: string,
  { width, height }: VideoFacts,
  { seconds, input }: { readonly seconds: number; readonly input: PurifyInput },
): void {
  if (input.purify_func_type !== 'raft') return
  if (seconds > videoLimits.filledSeconds) {
    throw new MediaError(6016, `purify_func_type: raft supports videos up to 20 minutes; ${name} is longer`, {
      hint: 'Use ffmpeg, or cut the video into shorter pieces.',
    })
  }
  if (Math.min(width, height) >= videoLimits.filledSide) return
  throw new MediaError(
    6035,
    `file_id: ${name} is ${width}x${height}; raft needs ${videoLimits.filledSide} px`,
    {
      hint: 'Use ffmpeg, or scale the video up first.',
    },
  )
}

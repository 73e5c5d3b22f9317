import type { MediaFacts, Rational } from '../../contract/media-facts.ts'
import { hertz, nominalRate, reducedRate } from '../../media/frame-rate.ts'
import { editableRate, parseTimecode, timebaseOf } from '../../media/timeline/project/timecode.ts'
import { type FfprobeOutput, type FfprobeStream, isPictureStream, streamTag } from './ffprobe.ts'
import { parseRatio } from './picture-facts.ts'

/** Limits of the rate of a timecode, frames per second. */
const rates = { least: 1, most: 480 }

/**
 * Returns the timecode of the first frame: that of the picture, else of a timecode stream, else of the file. Returns
 * undefined if none of them is a timecode of less than a day. video: facts of the picture, whose rate limits the frame
 * numbers where the file states no rate of the timecode.
 */
export function sourceTimecode(
  { streams, format }: FfprobeOutput,
  video: MediaFacts['video'],
): MediaFacts['timecode'] {
  const picture = streams.find(isPictureStream)
  const counter = streams.find(({ codec_tag_string }) => codec_tag_string === 'tmcd')
  const counterText = timecodeTag(counter)
  const pictureRate = editableRate(video ? nominalRate(video) : defaultRate)
  for (const text of [timecodeTag(picture), counterText, timecodeTag(format)]) {
    if (text === undefined || !isWithinDay(text)) continue
    const rate = text === counterText ? statedRate(counter) : undefined
    const timecode = parseTimecode(text, timebaseOf(rate ?? pictureRate).timebase)
    if (timecode) return { text, drop_frame: timecode.dropFrame, ...(rate && { rate }) }
  }
  return undefined
}

/** Rate assumed for the timecode of a sound without a picture. */
const defaultRate: Rational = { num: 30, den: 1 }

function timecodeTag(tagged: Pick<FfprobeStream, 'tags'> | undefined): string | undefined {
  return tagged && streamTag(tagged, 'timecode')
}

/** Returns whether the hours of a timecode are those of a day. Excludes all texts that are longer than a timecode. */
function isWithinDay(text: string): boolean {
  return text.length <= '00:00:00:000'.length && /^(?:[01]?\d|2[0-3]):/.test(text)
}

/** Returns the rate at which a timecode stream counts, or undefined if it states none. */
function statedRate(counter: FfprobeStream | undefined): Rational | undefined {
  const rate = parseRatio(counter?.avg_frame_rate)
  return rate && hertz(rate) >= rates.least && hertz(rate) <= rates.most ? reducedRate(rate) : undefined
}

import { nearest, type Rational } from './rational.ts'

/**
 * Returns the number of frames of a timecode `hh:mm:ss:ff`, or `hh:mm:ss;ff` for drop-frame. Drop-frame skips the
 * first 2 frame numbers of each minute (4 at 60 frames a second), except every tenth (SMPTE 12M). Returns undefined
 * when the text is no timecode or names a frame that does not exist.
 */
export function framesOfTimecode(text: string, rate: Rational, dropFrame: boolean): number | undefined {
  const match = /^(\d{2})[:;](\d{2})[:;](\d{2})[:;.](\d{2,3})$/.exec(text)
  if (!match) return undefined
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = match.slice(1).map(Number)
  const base = nearest(rate)
  if (minutes > 59 || seconds > 59 || frames >= base) return undefined
  const total = ((hours * 60 + minutes) * 60 + seconds) * base + frames
  if (!dropFrame) return total
  const dropped = Math.round(base / 15)
  if (seconds === 0 && frames < dropped && minutes % 10 > 0) return undefined
  const allMinutes = hours * 60 + minutes
  return total - dropped * (allMinutes - Math.floor(allMinutes / 10))
}

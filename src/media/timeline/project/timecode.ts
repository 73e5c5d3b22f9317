import type { Rational } from '../../../contract/media-facts.ts'
import { hertz } from '../../frame-rate.ts'

/** Rate of a project as editors write it: a whole number, and whether the true rate is 1000/1001 of it. */
export interface Timebase {
  readonly timebase: number
  readonly ntsc: boolean
}

/** Returns the timebase of a rate: 30000/1001 is 30 with `ntsc`. */
export function timebaseOf(rate: Rational): Timebase {
  const timebase = Math.round(hertz(rate))
  return { timebase, ntsc: rate.num !== timebase * rate.den }
}

/** Largest relative difference of a rate from the editable rate that it denotes, such as 29.97 from 30000/1001. */
const rateTolerance = 1e-4

/**
 * Returns the rate at which a video is cut. Editors know whole rates and 1000/1001 of them; another rate, such as 12.5,
 * becomes the next whole rate above.
 */
export function editableRate(rate: Rational): Rational {
  const fps = hertz(rate)
  const whole = Math.round(fps)
  const exact = [
    { num: whole, den: 1 },
    { num: whole * 1000, den: 1001 },
  ].find((one) => whole > 0 && Math.abs(hertz(one) / fps - 1) <= rateTolerance)
  return exact ?? { num: Math.max(1, Math.ceil(fps)), den: 1 }
}

/** Returns whether drop-frame numbering exists at a rate: at multiples of 30 (SMPTE ST 12-1). */
export function canDropFrames(timebase: number): boolean {
  return timebase % 30 === 0
}

/** Frame numbers that drop-frame numbering skips per minute, except in each tenth: 2 at 30, 4 at 60 (SMPTE ST 12-1). */
function droppedPerMinute(timebase: number): number {
  return timebase / 15
}

/**
 * Returns the frame count of a timecode such as `01:00:00;02`; undefined if it is not one. A `;` or `.` drops frames at
 * the rates that have drop-frame numbering, and has no meaning at others.
 */
export function parseTimecode(
  text: string,
  timebase: number,
): { readonly frames: number; readonly dropFrame: boolean } | undefined {
  const match = /^(\d{1,2}):(\d\d):(\d\d)([:;.])(\d{1,3})$/.exec(text.trim())
  if (!match) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1, 4).map(Number)
  const number = Number(match[5])
  if (minutes > 59 || seconds > 59 || number >= timebase) return undefined
  const dropFrame = match[4] !== ':' && canDropFrames(timebase)
  const totalMinutes = hours * 60 + minutes
  const dropped = dropFrame ? droppedPerMinute(timebase) * (totalMinutes - Math.floor(totalMinutes / 10)) : 0
  return { frames: (totalMinutes * 60 + seconds) * timebase + number - dropped, dropFrame }
}

/** Returns the timecode of a frame count, with `;` before the frames in drop-frame numbering. */
export function formatTimecode(
  frames: number,
  { timebase, dropFrame }: { readonly timebase: number; readonly dropFrame: boolean },
): string {
  const number = dropFrame ? numberWithDrops(frames, timebase) : frames
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = Math.floor(number / timebase)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
  return `${clock}${dropFrame ? ';' : ':'}${two(number % timebase)}`
}

/** Returns the frame number that drop-frame numbering gives a frame. */
function numberWithDrops(frames: number, timebase: number): number {
  const dropped = droppedPerMinute(timebase)
  const perMinute = timebase * 60 - dropped
  const perTenMinutes = perMinute * 10 + dropped
  const tens = Math.floor(frames / perTenMinutes)
  const rest = frames % perTenMinutes
  // The first minute of ten drops nothing.
  const minutes = rest < timebase * 60 ? 0 : 1 + Math.floor((rest - timebase * 60) / perMinute)
  return frames + dropped * (9 * tens + minutes)
}

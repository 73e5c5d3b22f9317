import type { AgentFile } from '../../src/contract/agent-form.ts'
import { summarizeList } from '../../src/contract/format.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import { hertz } from '../../src/media/frame-rate.ts'

// What the output takes from its clips where a call does not state it: size and rate.

/** Limits of the output (contract 2, 4.3): sides in pixels, frames per second. */
const sides = { least: 16, most: 4096 }
const rates = { least: 1, most: 120 }

/** Returns the stated size, or that of the first picture with even sides. Appends a note if it was taken. */
export function sizeFields(
  given: unknown,
  picture: AgentFile | undefined,
  notes: string[],
): { video_size?: unknown } {
  if (given !== undefined) return { video_size: given }
  const video = picture?.facts?.video
  if (!picture || !video) return {}
  const scale = Math.min(1, sides.most / Math.max(video.width, video.height))
  const even = (side: number): number => Math.max(sides.least, 2 * Math.round((side * scale) / 2))
  const size = [even(video.width), even(video.height)]
  notes.push(`video_size is ${size.join('x')}, that of ${picture.name}.`)
  return { video_size: size }
}

/** Returns the rate as a whole number: the stated one, or that of the first picture. Appends a note if it differs. */
export function rateFields(
  given: unknown,
  picture: AgentFile | undefined,
  notes: string[],
): { video_rate?: unknown } {
  const video = picture?.facts?.video
  const stated = numberOf(given)
  if (given !== undefined && (stated === undefined || Number.isInteger(stated))) return { video_rate: given }
  const rate = stated ?? (video ? averageRate(video.frame_rate) : undefined)
  if (rate === undefined) return {}
  const rounded = Math.min(rates.most, Math.max(rates.least, Math.round(rate)))
  const source = stated === undefined ? `the rate of ${picture?.name}` : 'the given rate'
  notes.push(
    rounded === rate
      ? `video_rate is ${rounded}, ${source}.`
      : `video_rate is ${rounded}: ${source} is ${Math.round(rate * 1000) / 1000}, and only whole rates from ${rates.least} to ${rates.most} can be rendered.`,
  )
  return { video_rate: rounded }
}

/** Average frames per second; 30 for a video that states none. */
const averageRate = (rate: Rational): number => (rate.num > 0 && rate.den > 0 ? hertz(rate) : 30)

/** Difference of two aspect ratios up to which bars are too thin to matter. */
const maxRatioDifference = 0.02

/** Most files that a note names. */
const maxNamed = 5

/** Notes which videos are shown with black bars because their shape is not that of the output. */
export function barNotes(size: unknown, pictures: readonly (AgentFile | undefined)[]): string[] {
  const [width, height] = Array.isArray(size) ? size.map(Number) : []
  const output = (width ?? NaN) / (height ?? NaN)
  const barred = pictures.flatMap((picture) => {
    const video = picture?.facts?.video
    if (!picture || !video) return []
    const ratio = video.width / video.height
    return Math.abs(Math.log(ratio / output)) > maxRatioDifference
      ? [`${picture.name} (${video.width}x${video.height})`]
      : []
  })
  if (barred.length === 0) return []
  return [
    `Shown with black bars at ${width}x${height}: ${summarizeList([...new Set(barred)], maxNamed, ', ')}.`,
  ]
}

/** Returns a finite number; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

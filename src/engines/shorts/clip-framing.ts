import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { Rational } from '../../contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Size } from '../../media/geometry.ts'
import type { FrameSpan } from '../../media/particle/frame-spans.ts'
import type { FramedRange } from '../../media/reframe/framed-range.ts'
import { planReframe, type PlanReframeOptions } from '../reframe/plan-reframe.ts'

/** Usual blur of the background where a picture does not fill the canvas, pixels of the canvas. */
const usualBlurSigma = 40

/** Largest difference of two shapes that are shown as one, as a share. */
const shapeTolerance = 0.01

export interface FrameClipOptions extends Pick<RunContext, 'steps' | 'threads' | 'signal' | 'progress'> {
  readonly rate: Rational
  readonly size: Size
  readonly split?: PlanReframeOptions['split']
  /** Blur of the background where a picture does not fill the canvas, pixels of the canvas. Default: 40. */
  readonly blurSigma?: number
}

/** The pictures of a clip, in the order of its ranges. */
export interface FramedClip {
  readonly ranges: readonly FramedRange[]
  /** Stretches that are also shown as a split screen. */
  readonly split: readonly FramedRange[]
  readonly degraded?: string
}

/**
 * Plans how the pictures of a clip fill its canvas. A picture of nearly the shape of the canvas is not analysed. `index`
 * names the clip in the folder of finished steps. Throws 6014 without a picture.
 */
export async function frameClip(
  file: StagedFile,
  { index, ranges }: { readonly index: number; readonly ranges: readonly FrameSpan[] },
  { steps, blurSigma = usualBlurSigma, ...options }: FrameClipOptions,
): Promise<FramedClip> {
  const { facts, name } = file
  if (!facts?.video) throw new MediaError(6014, `file_id: ${name} has no picture`)
  const { video } = facts
  const { width, height } = video
  const { size, split } = options
  const difference = (width * size.height) / (height * size.width)
  if (!split && Math.abs(difference - 1) < shapeTolerance)
    return { ranges: ranges.map((range) => wholePicture(range, { width, height })), split: [] }
  const folder = join(steps, `reframe-${index}`)
  await mkdir(folder, { recursive: true })
  return await planReframe(ranges, {
    file: { ...file, facts: { ...facts, video } },
    ...options,
    blurSigma,
    steps: folder,
  })
}

function wholePicture(range: FrameSpan, { width, height }: Size): FramedRange {
  const even = (side: number) => Math.max(2, side - (side % 2))
  return {
    ...range,
    framing: { mode: 'crop', crop: { x: 0, y: 0, width: even(width), height: even(height) } },
  }
}

/** Returns why split screens of a clip could not be planned, `framed` being undefined if its framing failed. */
export function splitFailure(framed: FramedClip | undefined): string | undefined {
  return framed ? framed.degraded : 'the pictures could not be analysed'
}

/** Explains why a clip has no split screen although one was requested; empty if it has one, or `degraded` says why. */
export function missingSplitNotes({ split, degraded }: FramedClip, index: number): string[] {
  if (split.length > 0 || degraded !== undefined) return []
  return [
    `split_screen: clip${index} has none: it needs the same 2 to 4 people, too far apart for one crop, for at least 2 s. Small faces in the background do not count`,
  ]
}

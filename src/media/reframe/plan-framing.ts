import type { Rect, Size } from '../geometry.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { ClipFraming } from '../timeline/framing.ts'
import { largestCrop } from './crop-size.ts'
import { centreOf } from './face-tracks.ts'
import { type FramedPiece, type FramedRange, joinPieces } from './framed-range.ts'
import { type AxisTarget, holdCamera } from './hold-camera.ts'
import { salientPosition } from './saliency.ts'
import {
  facesAt,
  type PictureAnalysis,
  sampleStarts,
  shotTakes,
  sourceSpans,
  type Take,
} from './shot-takes.ts'
import { planSplit, type SplitOptions } from './split-screen.ts'

/** How pictures of one shape are shown on a canvas of another shape. */
export interface PlanFramingOptions {
  /** Size of the source as displayed, pixels. */
  readonly source: Size
  readonly canvas: Size
  /** Frames per second of the source. */
  readonly perSecond: number
  /** Blur of the background where the whole picture is shown, pixels of the canvas. */
  readonly blurSigma: number
  readonly split?: SplitOptions | undefined
}

/** Framings of ranges. */
export interface FramingPlan {
  /** The given ranges, divided; in the same order. */
  readonly ranges: readonly FramedRange[]
  /** Parts of them for which a split screen fits; in the same order, and not divided further. */
  readonly split: readonly FramedRange[]
}

/** Shares of the crop at which the middle of faces looks best: above the middle, as a head has a body. */
const ideals = { x: 0.5, y: 0.42 } as const

/**
 * Plans how the ranges of a video are shown on a canvas. Each piece has a constant framing: the largest crop of the
 * canvas's shape, or the whole picture where the faces of a shot do not stay within a crop. The camera is planned shot by
 * shot, over the kept frames only. Without faces, the crop holds what draws the eye.
 */
export function planFraming(
  ranges: readonly FrameSpan[],
  analysis: PictureAnalysis,
  options: PlanFramingOptions,
): FramingPlan {
  const takes = shotTakes(ranges, analysis, options.perSecond)
  const pieces = takes.flatMap((take) => frameTake(take, options))
  const { split } = options
  return {
    ranges: ranges.flatMap((_, range) =>
      joinPieces(
        pieces.filter((piece) => piece.range === range),
        options.perSecond,
      ).map(({ first, end, framing }) => ({ first, end, framing })),
    ),
    split: split ? takes.flatMap((take) => planSplit(take, { ...options, split })) : [],
  }
}

/** Returns the pieces of a take, in order. */
function frameTake(take: Take, options: PlanFramingOptions): FramedPiece[] {
  const holds =
    take.people.length > 0 ? cameraHolds(take, options) : [{ start: 0, framing: salientCrop(take, options) }]
  return holds.flatMap(({ start, framing }, index) => {
    const end = holds[index + 1]?.start ?? take.frames
    return sourceSpans(take, start, end).map((span) => ({
      ...{ ...span, framing },
      faces: take.samples.flatMap(({ frame }, sample) =>
        frame >= span.first && frame < span.end ? facesAt(take, sample) : [],
      ),
    }))
  })
}

function cameraHolds(
  take: Take,
  options: PlanFramingOptions,
): { readonly start: number; readonly framing: ClipFraming }[] {
  const axis = cropAxis(options)
  const starts = sampleStarts(take)
  const targets = take.samples.map(({ segment }, index): AxisTarget => ({
    start: starts[index] ?? 0,
    isSeam: index > 0 && take.samples[index - 1]?.segment !== segment,
    faces: axisFaces(facesAt(take, index), axis.name),
  }))
  const { frames } = take
  const holds = holdCamera(targets, {
    ...axis,
    ideal: ideals[axis.name],
    frames,
    perSecond: options.perSecond,
  })
  return holds.map(({ start, position }) => ({
    start,
    framing:
      position === null
        ? { mode: 'fit', blurSigma: options.blurSigma }
        : { mode: 'crop', crop: axis.cropAt(position) },
  }))
}

/** Returns the extent of faces along an axis; undefined without faces. */
function axisFaces(faces: readonly Rect[], axis: 'x' | 'y'): AxisTarget['faces'] {
  if (faces.length === 0) return undefined
  const lengths = faces.map((face) => (axis === 'x' ? face.width : face.height))
  const centres = faces.map((face) => centreOf(face)[axis])
  return {
    centres: [Math.min(...centres), Math.max(...centres)],
    boxes: [
      Math.min(...faces.map((face) => face[axis])),
      Math.max(...faces.map((face, index) => face[axis] + (lengths[index] ?? 0))),
    ],
    length: Math.max(...lengths),
  }
}

function salientCrop(take: Take, options: PlanFramingOptions): ClipFraming {
  const axis = cropAxis(options)
  const list = take.samples.flatMap(({ saliency }) => {
    if (!saliency) return []
    return [axis.name === 'x' ? saliency.columns : saliency.rows]
  })
  return { mode: 'crop', crop: axis.cropAt(salientPosition(list, axis)) }
}

/** The axis along which the largest crop of a shape can move. */
interface CropAxis {
  readonly name: 'x' | 'y'
  /** Length of the crop and of the picture along it, pixels. */
  readonly crop: number
  readonly picture: number
  cropAt(position: number): Rect
}

function cropAxis({ source, canvas }: Pick<PlanFramingOptions, 'source' | 'canvas'>): CropAxis {
  const size = largestCrop(source, canvas.width / canvas.height)
  // Of an odd side, the crop leaves out one pixel; along that axis it does not move.
  const isWide = source.width - size.width >= source.height - size.height
  return isWide
    ? { name: 'x', crop: size.width, picture: source.width, cropAt: (x) => ({ x, y: 0, ...size }) }
    : { name: 'y', crop: size.height, picture: source.height, cropAt: (y) => ({ x: 0, y, ...size }) }
}

import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import type { Area } from '../../media/clean/region.ts'
import { Yuv420 } from '../../media/colour/yuv420.ts'
import { expandBox, type TextBox } from '../../media/text/box.ts'
import { mergeScales, type ScaledDetections } from '../../media/text/lines.ts'
import { edgeDensity, medianGradient, strokeBox, strokeSearchBox } from '../../media/text/stroke-mask.ts'
import { cropLuma, type Luma } from '../../media/text/luma.ts'
import { boxToArea } from '../../media/text/regions.ts'
import { prepareRescore, rescore } from '../../media/text/rescore.ts'
import { boxesAlongLine } from '../../media/text/tilt.ts'
import { mergeTileLines, splitIntoTiles, usualAspect } from '../../media/text/tiles.ts'
import { stillPicture } from '../ffmpeg/still.ts'
import { openTextDetector, type TextDetector } from './text-detector.ts'

/** How a picture is looked at. */
export interface DetectTextInImageOptions {
  readonly signal?: AbortSignal | undefined
  /** Longest sides it is looked at with, px, coarse to fine. */
  readonly sides?: readonly number[]
  readonly threads?: number
}

/** Large letters show best in a small picture, small and faint ones in a large one. */
const defaultSides = [960, 1920]

/** The lines of text of a still picture as it is shown; none of a file without one. */
export async function detectTextInImage(
  path: string,
  { video }: MediaFacts,
  { signal, sides = defaultSides, threads = 2 }: DetectTextInImageOptions = {},
): Promise<(Area & { readonly score: number })[]> {
  if (!video) return []
  const sizes = scaledSizes(video, sides)
  await using detector = await openTextDetector(Math.min(threads, sizes.length), signal)
  const looks = await Promise.all(
    sizes.map(async (size): Promise<ScaledDetections & { readonly luma: Luma }> => {
      const frame = await scaledFrame(path, video, { ...size, signal })
      const luma = { ...size, values: frame.bytes.slice(0, size.width * size.height) }
      const found = await Promise.all(
        splitIntoTiles(frame).map(async (tile) => ({ tile, boxes: await detector.find(tile.frame) })),
      )
      return { ...size, luma, boxes: mergeTileLines(found, size) }
    }),
  )
  const finest = looks.at(-1)
  if (!finest) return []
  const lines = await Promise.all(
    mergeScales(looks).map((box) => confirmLine(box, { luma: finest.luma, detector })),
  )
  const grid = { ...finest, area: { x: 0, y: 0, w: 1, h: 1 } }
  return lines.flatMap((line) => {
    if (!line) return []
    const { score } = line
    return boxesAlongLine(line)
      .map((box) => ({ ...boxToArea(box, grid), score }))
      .filter(({ w, h }) => w > 0 && h > 0)
  })
}

/** Longest side of what is held of a picture that is looked at in tiles, px. */
const maxScaledSide = 24_000

/**
 * Sizes of a picture by their longest sides, even; none is larger than the picture, but one there is. One that is longer
 * than pictures usually are is as wide as those are.
 */
function scaledSizes({ width, height }: VideoFacts, sides: readonly number[]) {
  const [short, longest] = [Math.min(width, height), Math.max(width, height)]
  const usual = Math.min(longest, short * usualAspect)
  const scales = sides.map((side) => Math.min(1, side / usual, maxScaledSide / longest))
  const even = (side: number) => Math.max(2, 2 * Math.round(side / 2))
  return [...new Set(scales)].map((scale) => ({ width: even(width * scale), height: even(height * scale) }))
}

async function scaledFrame(
  path: string,
  video: VideoFacts,
  wish: { readonly width: number; readonly height: number; readonly signal: AbortSignal | undefined },
): Promise<Frame> {
  const pixels = await stillPicture(path, { video, ...wish })
  if (!pixels) throw new MediaError(6021, 'the picture could not be decoded')
  const frame = new Yuv420(wish)
  frame.write(pixels, { x: 0, y: 0, width: wish.width, height: wish.height })
  return { width: wish.width, height: wish.height, bytes: frame.bytes }
}

/** Least sureness of a line, by both looks, and edges of its letters. */
const leastScore = 0.7
const leastEdges = 1.2

/** What the edges of letters are blurred by, px. */
const strokeBlur = 1

/** A line with the box of its ink, if it is one at another scale too. */
async function confirmLine(
  box: TextBox,
  { luma, detector }: { readonly luma: Luma; readonly detector: TextDetector },
): Promise<TextBox | undefined> {
  const part = cropLuma(luma, strokeSearchBox(box))
  if (edgeDensity(part, box) < leastEdges) return undefined
  const look = prepareRescore(part, box)
  const score = Math.min(box.score, rescore(look, await detector.find(look.frame)))
  if (score < leastScore) return undefined
  // It may lead out of the picture: cut off there, a tilted line would no longer run through the middle of its box.
  return { ...box, ...expandBox(strokeBox(medianGradient([part]), box, luma), strokeBlur), score }
}

import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import type { Area } from '../../media/clean/region.ts'
import { expandBox, type TextBox } from '../../media/text/box.ts'
import { mergeScales, type ScaledDetections } from '../../media/text/lines.ts'
import { edgeDensity, medianGradient, strokeBox, strokeSearchBox } from '../../media/text/stroke-mask.ts'
import { cropLuma, type Luma } from '../../media/text/luma.ts'
import { boxToArea } from '../../media/text/regions.ts'
import { prepareRescore, rescore } from '../../media/text/rescore.ts'
import { boxesAlongLine } from '../../media/text/tilt.ts'
import { mergeTileLines, splitIntoTiles, usualAspect } from '../../media/text/tiles.ts'
import { stillFrame } from './still-frame.ts'
import { openTextDetector, type TextDetector } from './frame-detector.ts'

/** Options of `detectTextInImage`. */
export interface DetectTextInImageOptions {
  readonly signal?: AbortSignal | undefined
  /** Longest sides of the scaled images to search, in pixels, ascending. */
  readonly sides?: readonly number[]
  readonly threads?: number
}

/** Large letters are detected best in a small image, small and faint ones in a large one. */
const defaultSides = [960, 1920]

/** A line of text in an image, as fractions of the image. */
type ImageLine = Area & { readonly score: number }

/** Returns the lines of text in a still image as displayed; none if the file has no picture. */
export async function detectTextInImage(
  path: string,
  { video }: MediaFacts,
  { signal, sides = defaultSides, threads = 2 }: DetectTextInImageOptions = {},
): Promise<ImageLine[]> {
  if (!video) return []
  await using detector = await openTextDetector(Math.min(threads, sides.length), signal)
  return await findTextInImage(path, video, { signal, sides, detector })
}

interface FindTextInImageOptions extends Pick<DetectTextInImageOptions, 'signal' | 'sides'> {
  readonly detector: TextDetector
}

/** Returns the lines of text in a still image as displayed, with a detector that is open. */
export async function findTextInImage(
  path: string,
  video: VideoFacts,
  { signal, sides = defaultSides, detector }: FindTextInImageOptions,
): Promise<ImageLine[]> {
  const sizes = scaledSizes(video, sides)
  const searches = await Promise.all(
    sizes.map(async (size): Promise<ScaledDetections & { readonly luma: Luma }> => {
      const frame = await stillFrame(path, video, { ...size, signal })
      const luma = { ...size, values: frame.bytes.slice(0, size.width * size.height) }
      const found = await Promise.all(
        splitIntoTiles(frame).map(async (tile) => ({ tile, boxes: await detector.find(tile.frame) })),
      )
      return { ...size, luma, boxes: mergeTileLines(found, size) }
    }),
  )
  const finest = searches.at(-1)
  if (!finest) return []
  const lines = await Promise.all(
    mergeScales(searches).map((box) => confirmLine(box, { luma: finest.luma, detector })),
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

/** Limit of the longest side of a scaled image, in pixels; it is searched in tiles. */
const maxScaledSide = 24_000

/**
 * Returns the even sizes to search, one per side and none larger than the image. For a very long image, `sides` applies
 * to a tile of usual aspect.
 */
function scaledSizes({ width, height }: VideoFacts, sides: readonly number[]) {
  const [short, longest] = [Math.min(width, height), Math.max(width, height)]
  const usual = Math.min(longest, short * usualAspect)
  const scales = sides.map((side) => Math.min(1, side / usual, maxScaledSide / longest))
  const even = (side: number) => Math.max(2, 2 * Math.round(side / 2))
  return [...new Set(scales)].map((scale) => ({ width: even(width * scale), height: even(height * scale) }))
}

/** Least confidence of a line in both detections, and least number of edges its letters have. */
const leastScore = 0.7
const leastEdges = 1.2

/** Blur of letter edges, in pixels. */
const strokeBlur = 1

/** Returns a line with the box of its strokes, if it is also detected at another scale. */
async function confirmLine(
  box: TextBox,
  { luma, detector }: { readonly luma: Luma; readonly detector: TextDetector },
): Promise<TextBox | undefined> {
  const part = cropLuma(luma, strokeSearchBox(box))
  if (edgeDensity(part, box) < leastEdges) return undefined
  const rescoring = prepareRescore(part, box)
  const score = Math.min(box.score, rescore(rescoring, await detector.find(rescoring.frame)))
  if (score < leastScore) return undefined
  // The box may exceed the image: clipped, a tilted line would not pass through its centre.
  return { ...box, ...expandBox(strokeBox(medianGradient([part]), box, luma), strokeBlur), score }
}

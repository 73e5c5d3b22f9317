import type { Area } from '../clean/region.ts'
import type { Luma } from '../text/luma.ts'

/** Side of the blocks whose edges are measured, px. */
const blockSide = 32

/** Length over which the contrast of an edge is measured on each side of its steepest step, px. */
const reach = 6

/**
 * Least contrast of an edge, and of a line of a block in which one is expected: luma levels, of dim pictures their
 * spread (blocks of JPEG have less), and standard deviations of the noise.
 */
const leastContrast = { levels: 24, dim: 16, deviations: 8 }

/** Widest sharp edge: contrast divided by the largest step between two pixels. A step is 1, a Gaussian 2.5 σ. */
const sharpWidth = 3.5

/** Least number of blocks with contrast from which a direction is judged. */
const leastBlocks = 4

/** Share of sharp blocks below which a picture is blurred: a subject in focus before a blurred background has more. */
const leastSharp = 0.2

/** Spread of the luma above which a picture without contrast in blocks is blurred rather than a surface or a sky, levels. */
const largestPlainSpread = 25

/**
 * Whether a picture is out of focus or moved: by the share of its blocks with contrast whose strongest edge is narrow
 * (after Marziliano et al. 2002, with the contrast in place of the monotone run, which noise breaks). Motion widens the
 * edges of one direction only, so that each is judged alone. luma: a picture whose longest side is at most about 768 px,
 * at which a Gaussian blur of σ 2.4 px counts. `excluded`: areas whose edges do not count, such as letters and bars.
 */
export function isBlurred(luma: Luma, excluded: readonly Area[] = []): boolean {
  const spread = spreadOf(luma)
  const { levels, dim, deviations } = leastContrast
  const noise = noiseDeviation(luma)
  const contrast = Math.max(Math.min(levels, Math.max(dim, spread)), deviations * noise)
  const isExcluded = excludedBlocks(luma, excluded)
  const directions = [1, luma.width]
    .map((step) => contrastBlocks(luma, { noise, contrast, isExcluded, step }))
    .filter(({ count }) => count >= leastBlocks)
  if (directions.length === 0) return spread > largestPlainSpread
  return directions.some(({ count, sharp }) => sharp / count < leastSharp)
}

interface EdgeOptions {
  /** Standard deviation of the noise, levels. */
  readonly noise: number
  /** Least contrast, levels. */
  readonly contrast: number
  /** Distance of neighbouring samples in the direction that is measured. */
  readonly step: number
}

/** Counts the blocks with contrast along a direction, and those of them with a sharp edge. */
function contrastBlocks(
  luma: Luma,
  { isExcluded, ...edge }: EdgeOptions & { readonly isExcluded: (column: number, row: number) => boolean },
): { readonly count: number; readonly sharp: number } {
  const [columns, rows] = [Math.ceil(luma.width / blockSide), Math.ceil(luma.height / blockSide)]
  let [count, sharp] = [0, 0]
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (isExcluded(column, row)) continue
      const { range, width } = measureBlock(luma, { column, row }, edge)
      if (range < edge.contrast && width === undefined) continue
      count += 1
      if (width !== undefined && width <= sharpWidth) sharp += 1
    }
  }
  return { count, sharp }
}

interface BlockMeasures {
  /** Largest difference of the samples of a line, levels. */
  readonly range: number
  /** Width of the strongest edge, px; undefined without one. */
  readonly width: number | undefined
}

/** Measures the lines of a block in a direction. */
function measureBlock(
  { width, height, values }: Luma,
  { column, row }: { readonly column: number; readonly row: number },
  { noise, contrast: least, step }: EdgeOptions,
): BlockMeasures {
  const isAcross = step === 1
  const beside = isAcross ? width : 1
  const span = (block: number, side: number, margin: number): readonly [number, number] => [
    Math.max(margin, block * blockSide),
    Math.min(side - margin - 1, (block + 1) * blockSide),
  ]
  const across = span(column, width, isAcross ? reach : 0)
  const down = span(row, height, isAcross ? 0 : reach)
  const [lines, along] = isAcross ? [down, across] : [across, down]
  /** Mean with the neighbour beside the direction, which halves the noise power. */
  const at = (index: number) => ((values[index] ?? 0) + (values[index + beside] ?? 0)) / 2
  let [range, largest, found] = [0, 0, undefined as number | undefined]
  for (let line = lines[0]; line < lines[1]; line += 1) {
    let [low, high] = [255, 0]
    for (let sample = along[0]; sample < along[1]; sample += 1) {
      const index = isAcross ? line * width + sample : sample * width + line
      const value = at(index)
      low = Math.min(low, value)
      high = Math.max(high, value)
      const difference = at(index + step) - value
      // The largest of a thousand differences of noise exceeds its mean by about 3 of their deviations.
      const steepest = Math.max(1, Math.abs(difference) - 3 * noise)
      if (steepest <= largest) continue
      const contrast = edgeContrast(at, { index, step, sign: Math.sign(difference) })
      if (contrast < least) continue
      largest = steepest
      found = contrast / steepest
    }
    range = Math.max(range, high - low)
  }
  return { range, width: found }
}

/** Contrast of the edge around a step between two samples, in its direction, levels. */
function edgeContrast(
  at: (index: number) => number,
  { index, step, sign }: { readonly index: number; readonly step: number; readonly sign: number },
): number {
  let [before, after] = [Infinity, -Infinity]
  for (let sample = 0; sample < reach; sample += 1) {
    before = Math.min(before, sign * at(index - sample * step))
    after = Math.max(after, sign * at(index + (sample + 1) * step))
  }
  return after - before
}

/** Margin around an excluded area, px: the reach of an edge at its side. */
const excludedMargin = reach

function excludedBlocks({ width, height }: Luma, areas: readonly Area[]) {
  const blocks = new Set<string>()
  for (const { x, y, w, h } of areas) {
    const first = (start: number, side: number) => Math.floor((start * side - excludedMargin) / blockSide)
    const last = (end: number, side: number) => Math.floor((end * side + excludedMargin) / blockSide)
    for (let row = first(y, height); row <= last(y + h, height); row += 1)
      for (let column = first(x, width); column <= last(x + w, width); column += 1)
        blocks.add(`${column} ${row}`)
  }
  return (column: number, row: number): boolean => blocks.has(`${column} ${row}`)
}

/**
 * Standard deviation of the noise, luma levels: from the median magnitude of a filter that linear gradients and edges
 * leave at 0 (Immerkær 1996, with the median in place of the mean, which texture raises).
 */
function noiseDeviation({ width, height, values }: Luma): number {
  const counts = new Uint32Array(16 * 256)
  let total = 0
  for (let y = 1; y < height - 1; y += 2) {
    for (let x = 1; x < width - 1; x += 1) {
      const index = y * width + x
      const at = (dx: number, dy: number) => values[index + dy * width + dx] ?? 0
      const corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)
      const sides = at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0)
      const magnitude = Math.abs(corners - 2 * sides + 4 * at(0, 0))
      counts[magnitude] = (counts[magnitude] ?? 0) + 1
      total += 1
    }
  }
  let [median, sum] = [0, 0]
  while (median < counts.length && sum + (counts[median] ?? 0) <= total / 2) {
    sum += counts[median] ?? 0
    median += 1
  }
  // The filter multiplies the deviation of noise by 6; the median magnitude of a normal distribution is 0.6745 of it.
  return median / (6 * 0.6745)
}

function spreadOf({ values }: Luma): number {
  let [sum, squares] = [0, 0]
  for (const value of values) {
    sum += value
    squares += value * value
  }
  const mean = sum / Math.max(1, values.length)
  return Math.sqrt(Math.max(0, squares / Math.max(1, values.length) - mean * mean))
}

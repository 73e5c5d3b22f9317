import type { Luma } from '../text/luma.ts'

/** Widths of the bars at the sides of a picture, px; 0 without one. */
export interface Bars {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Least width of a bar, as a share of the side across it: 7 px of 480. */
const leastShare = 0.015

/** Largest width of a bar, as a share of the side across it. */
const largestShare = 0.45

/** Brightest luma of a black bar, levels from 0 (black) to 255. */
const darkestLuma = 22

/** Deviation from the colour of a bar that compression and scaling explain, levels. */
const tolerance = 9

/** Share of a line that has the colour of the bar: in every line, and in those without letters on the bar. */
const barShares = { lettered: 0.5, plain: 0.97 }

/** Least share of plain lines in a bar: subtitles take less than its other half. */
const leastPlain = 0.5

/** Depth behind the edge of a bar in which the picture differs from it, px. */
const edgeDepth = 3

/** Least share of the edge along which the picture differs: of a pair of bars, and of a single one. */
const edgeShares = { pair: 0.45, single: 0.7 }

/** Largest ratio between the widths of a pair of bars whose colour is not black. */
const largestRatio = 1.5

/** A side of a picture as lines from its edge inwards. */
interface Side {
  /** Number of lines, and of samples in each. */
  readonly lines: number
  readonly length: number
  at(line: number, sample: number): number
}

/**
 * Finds letterbox and pillarbox bars: plain lines of one colour at the sides, where the picture begins abruptly along a
 * straight edge. Black bars count alone, those of another colour as a pair of equal widths. Letters on a bar are allowed.
 */
export function findBars(luma: Luma): Bars {
  const { width, height, values } = luma
  const rows = (isFlipped: boolean): Side => ({
    ...{ lines: height, length: width },
    at: (line, sample) => values[(isFlipped ? height - 1 - line : line) * width + sample] ?? 0,
  })
  const columns = (isFlipped: boolean): Side => ({
    ...{ lines: width, length: height },
    at: (line, sample) => values[sample * width + (isFlipped ? width - 1 - line : line)] ?? 0,
  })
  const [top, bottom] = pairOfBars(rows(false), rows(true))
  const [left, right] = pairOfBars(columns(false), columns(true))
  return { top, bottom, left, right }
}

/** A possible bar: its width in lines, its colour, and the share of its edge along which the picture differs. */
interface Bar {
  readonly width: number
  readonly luma: number
  readonly edge: number
}

function pairOfBars(near: Side, far: Side): [number, number] {
  const [one, other] = [measureBar(near), measureBar(far)]
  if (one && other && isPair(one, other)) return [one.width, other.width]
  return [one, other].map((bar) =>
    bar && bar.luma <= darkestLuma && bar.edge >= edgeShares.single ? bar.width : 0,
  ) as [number, number]
}

function isPair(one: Bar, other: Bar): boolean {
  const isBlack = Math.max(one.luma, other.luma) <= darkestLuma
  const ratio = Math.max(one.width, other.width) / Math.min(one.width, other.width)
  const isSame = Math.abs(one.luma - other.luma) <= tolerance && ratio <= largestRatio
  return (isBlack || isSame) && Math.min(one.edge, other.edge) >= edgeShares.pair
}

function measureBar(side: Side): Bar | undefined {
  const luma = medianOfLine(side, 0)
  const most = Math.floor(side.lines * largestShare)
  let [width, plain] = [0, 0]
  for (; width <= most; width += 1) {
    const share = shareOf(side, width, luma)
    if (share < barShares.lettered) break
    if (share >= barShares.plain) plain += 1
  }
  if (width > most || width < Math.max(2, leastShare * side.lines)) return undefined
  return plain < leastPlain * width ? undefined : { width, luma, edge: edgeShare(side, width, luma) }
}

function medianOfLine(side: Side, line: number): number {
  const samples = Uint8Array.from({ length: side.length }, (_, sample) => side.at(line, sample)).toSorted()
  return samples[samples.length >> 1] ?? 0
}

/** Share of a line that has the colour of a bar. */
function shareOf({ length, at }: Side, line: number, luma: number): number {
  let count = 0
  for (let sample = 0; sample < length; sample += 1)
    if (Math.abs(at(line, sample) - luma) <= tolerance) count += 1
  return count / length
}

/** Share of the edge at a line along which the picture behind it differs from the bar, and the bar before it does not. */
function edgeShare({ lines, length, at }: Side, line: number, luma: number): number {
  const inside = Math.min(lines - 1, line + edgeDepth)
  const outside = Math.max(0, line - edgeDepth)
  let count = 0
  for (let sample = 0; sample < length; sample += 1) {
    const differs = Math.abs(at(inside, sample) - luma) > tolerance
    if (differs && Math.abs(at(outside, sample) - luma) <= tolerance) count += 1
  }
  return count / length
}

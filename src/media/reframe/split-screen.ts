import { isRectInside, type Rect, type Size, uniteRects } from '../geometry.ts'
import type { FramingSlot } from '../timeline/framing.ts'
import { evenWithin, largestCrop } from './crop-size.ts'
import { centreOf, type FaceTrack, medianWidth } from './face-tracks.ts'
import type { FramedRange } from './framed-range.ts'
import { sampleStarts, sourceSpans, type Take } from './shot-takes.ts'

/** How a split screen is requested. */
export interface SplitOptions {
  /**
   * `multi`: one slot per person. `single`: a close-up of one person and the whole picture. `auto`: `multi` where people
   * are too far apart for one crop.
   */
  readonly mode: 'auto' | 'single' | 'multi'
  /** Slots side by side (`lr`) or above each other (`tb`); `auto`: above each other on a portrait canvas. */
  readonly orientation: 'auto' | 'lr' | 'tb'
}

interface PlanSplitOptions {
  readonly source: Size
  readonly canvas: Size
  readonly perSecond: number
  readonly split: SplitOptions
}

/** Most people who get a slot each. */
const maxPeople = 4

/** Shortest stretch with a split screen, seconds. */
const minSplitSeconds = 2

/**
 * A third person gets a slot if seen for this share of the take or for this time, whichever is less: slots that appear for
 * a passer-by would distract.
 */
const minSlotPresence = { share: 0.3, seconds: 6 }

/** Height of a close-up and of the crop of a slot, in heights of the face, if the picture is large enough. */
const faceHeights = 3.2

/** Height of the middle of a face in its slot; in the lower of two rows of a tall canvas, captions are below it. */
const faceLevels = { usual: 0.42, aboveCaptions: 0.28 }

/** A slot enlarges the picture at most by this factor. */
const maxEnlargement = 3

/** Share of the canvas that the whole picture has in the mode `single`. */
const wholeShare = { least: 0.3, most: 0.5 }

/** Returns the stretches of a take that a split screen shows, in order; none where it does not fit. */
export function planSplit(take: Take, options: PlanSplitOptions): FramedRange[] {
  const starts = [...sampleStarts(take), take.frames]
  const ranges: FramedRange[] = []
  for (const { from, to, people } of stretches(take, options.perSecond)) {
    const [start, end] = [starts[from] ?? 0, starts[to] ?? take.frames]
    if (end - start < minSplitSeconds * options.perSecond) continue
    const paths = people.map((track) => track.boxes.slice(from - track.first, to - track.first))
    const slots = splitSlots(paths, options)
    if (!slots) continue
    for (const { first, end: last } of sourceSpans(take, start, end))
      ranges.push({ first, end: last, framing: { mode: 'split', slots } })
  }
  return ranges
}

interface Stretch {
  /** Samples, from `from` to before `to`. */
  readonly from: number
  readonly to: number
  readonly people: readonly FaceTrack[]
}

/** Returns the runs of samples in which the same people are seen. Others who are there briefly do not count. */
function stretches(take: Take, perSecond: number): Stretch[] {
  const runs: Stretch[] = []
  const lasting = lastingPeople(take, perSecond)
  for (const sample of take.samples.keys()) {
    const isSeen = ({ first, boxes }: FaceTrack) => sample >= first && sample < first + boxes.length
    const stay = lasting.filter(isSeen)
    const present = stay.length >= 2 ? stay : take.people.filter(isSeen)
    const last = runs.at(-1)
    const isSame = last?.people.length === present.length && present.every((one) => last.people.includes(one))
    if (last && isSame) runs[runs.length - 1] = { ...last, to: sample + 1 }
    else runs.push({ from: sample, to: sample + 1, people: present })
  }
  return runs
}

function lastingPeople({ samples, people, frames }: Take, perSecond: number): FaceTrack[] {
  const least = Math.min(minSlotPresence.share * frames, minSlotPresence.seconds * perSecond)
  return people.filter(({ first, boxes }) => {
    const [from, to] = [samples[first], samples[first + boxes.length - 1]]
    return (to?.at ?? 0) - (from?.at ?? 0) >= least
  })
}

/** Returns the slots for the faces of people over a stretch; undefined if a split screen does not fit. */
function splitSlots(
  paths: readonly (readonly Rect[])[],
  options: PlanSplitOptions,
): FramingSlot[] | undefined {
  const { mode } = options.split
  if (paths.length === 0) return undefined
  if (mode === 'single') return closeUpSlots(paths, options)
  if (paths.length < 2 || paths.length > maxPeople) return undefined
  if (mode === 'auto' && fitsOneCrop(paths, options)) return undefined
  // Left to right, and from the top to the bottom.
  const ordered = paths.toSorted((one, other) => centreOf(hullOf(one)).x - centreOf(hullOf(other)).x)
  const slots = tileCanvas(options.canvas, { count: paths.length, sideBySide: isSideBySide(options) })
  return pairCrops(slots, ordered, options)
}

function isSideBySide({ canvas, split }: PlanSplitOptions): boolean {
  return split.orientation === 'auto' ? canvas.width >= canvas.height : split.orientation === 'lr'
}

/** Whether the largest crop of the canvas's shape holds all faces over the whole stretch. */
function fitsOneCrop(paths: readonly (readonly Rect[])[], { source, canvas }: PlanSplitOptions): boolean {
  const crop = largestCrop(source, canvas.width / canvas.height)
  const hull = paths.map(hullOf).reduce(uniteRects)
  return hull.width <= crop.width && hull.height <= crop.height
}

/** Returns slots that fill a canvas exactly, with even sides. Four of them are two rows of two. */
export function tileCanvas(
  { width, height }: Size,
  { count, sideBySide }: { readonly count: number; readonly sideBySide: boolean },
): Rect[] {
  const [across, down] = count === 4 ? [2, 2] : sideBySide ? [count, 1] : [1, count]
  const edge = (index: number, parts: number, side: number) =>
    index === parts ? side : 2 * Math.round((index * side) / parts / 2)
  return Array.from({ length: count }, (_, index) => {
    const [column, row] = [index % across, Math.floor(index / across)]
    const [x, y] = [edge(column, across, width), edge(row, down, height)]
    return { x, y, width: edge(column + 1, across, width) - x, height: edge(row + 1, down, height) - y }
  })
}

function pairCrops(
  slots: readonly Rect[],
  paths: readonly (readonly Rect[])[],
  { source, canvas }: PlanSplitOptions,
): FramingSlot[] | undefined {
  const isTall = canvas.height > canvas.width
  const levelIn = ({ y }: Rect) =>
    isTall && Math.abs(y / canvas.height - 0.5) < 0.1 ? faceLevels.aboveCaptions : faceLevels.usual
  const pairs = slots.flatMap((slot, index) => {
    const others = paths.filter((_, other) => other !== index)
    const crop = closeUp(slot, { path: paths[index] ?? [], others, source, level: levelIn(slot) })
    return crop ? [{ crop, slot }] : []
  })
  return pairs.length === slots.length ? pairs : undefined
}

/** Returns a close-up of the person who is seen largest, and the whole picture. */
function closeUpSlots(
  paths: readonly (readonly Rect[])[],
  options: PlanSplitOptions,
): FramingSlot[] | undefined {
  const { canvas, source } = options
  const widthOf = (boxes: readonly Rect[]) => medianWidth({ first: 0, boxes, found: boxes.length })
  const [main = []] = paths.toSorted((one, other) => widthOf(other) - widthOf(one))
  const sideBySide = isSideBySide(options)
  const [length, natural] = sideBySide
    ? [canvas.width, (canvas.height * source.width) / source.height]
    : [canvas.height, (canvas.width * source.height) / source.width]
  const share = Math.min(wholeShare.most, Math.max(wholeShare.least, natural / length))
  const whole = 2 * Math.round((share * length) / 2)
  const [first, second] = sideBySide
    ? [
        { x: 0, y: 0, width: length - whole, height: canvas.height },
        { x: length - whole, y: 0, width: whole, height: canvas.height },
      ]
    : [
        { x: 0, y: 0, width: canvas.width, height: length - whole },
        { x: 0, y: length - whole, width: canvas.width, height: whole },
      ]
  const crop = closeUp(first, { path: main, others: [], source, level: faceLevels.usual })
  const view = largestCrop(source, second.width / second.height)
  const hull = paths.map(hullOf).reduce(uniteRects)
  const wide = placeCrop(view, centreOf(hull), source)
  return crop
    ? [
        { crop, slot: first },
        { crop: wide, slot: second },
      ]
    : undefined
}

interface CloseUpOptions {
  /** Boxes of the face over the stretch. */
  readonly path: readonly Rect[]
  /** The same of other people, whose faces are to be left out. */
  readonly others: readonly (readonly Rect[])[]
  readonly source: Size
  /** Height of the middle of the face in the slot, as a share. */
  readonly level: number
}

/**
 * Returns a crop of a slot's shape around a face: as wide as looks good, narrower where another face would be seen, and
 * never so narrow that the face leaves it. Undefined if the face moves too far for that.
 */
function closeUp(slot: Size, { path, others, source, level }: CloseUpOptions): Rect | undefined {
  const hull = hullOf(path)
  const aspect = slot.width / slot.height
  const most = largestCrop(source, aspect)
  const faceHeight = Math.max(...path.map(({ height }) => height))
  const least = Math.max(hull.height * 1.3, (hull.width * 1.15) / aspect, slot.height / maxEnlargement)
  if (Math.max(hull.height, hull.width / aspect) > most.height) return undefined
  const centre = centreOf(hull)
  const free = others.map((other) => {
    const box = hullOf(other)
    const distance = centreOf(box).x < centre.x ? centre.x - box.x - box.width : box.x - centre.x
    return (2 * distance) / aspect
  })
  const wanted = Math.min(Math.max(faceHeights * faceHeight, hull.height * 1.6), ...free)
  const height = Math.min(most.height, Math.max(least, wanted))
  const size = { width: evenWithin(height * aspect, source.width), height: evenWithin(height, source.height) }
  const crop = placeCrop(size, { x: centre.x, y: centre.y + (0.5 - level) * size.height }, source)
  const centres = path.map((box) => ({ ...centreOf(box), width: 0, height: 0 }))
  return centres.every((point) => isRectInside(point, crop)) ? crop : undefined
}

/** Returns the smallest rectangle around all boxes. */
function hullOf(boxes: readonly Rect[]): Rect {
  return boxes.reduce(uniteRects)
}

/** Returns a crop with a point in its middle, or as near as the picture allows, at even pixels. */
function placeCrop(size: Size, centre: { readonly x: number; readonly y: number }, source: Size): Rect {
  const place = (middle: number, length: number, whole: number) =>
    2 * Math.floor(Math.min(Math.max(0, middle - length / 2), whole - length) / 2)
  return {
    x: place(centre.x, size.width, source.width),
    y: place(centre.y, size.height, source.height),
    ...size,
  }
}

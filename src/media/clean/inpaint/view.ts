import type { Rect } from '../../geometry.ts'
import type { Frame, Patch } from '../frame.ts'
import type { CameraPose } from './camera.ts'
import type { GreyImage } from './grey-image.ts'
import { hiddenMask } from './hidden-mask.ts'

/** A part of a frame: its brightness, and both axes of colour at half the size. */
export interface FrameCrop extends GreyImage {
  readonly blue: Uint8Array
  readonly red: Uint8Array
}

/** What is kept of a frame. */
export interface FrameView extends CameraPose {
  readonly index: number
  /** When it shows, in ticks. */
  readonly time: number
  /** How far what it shows can be taken for background, up to 1. */
  readonly confidence: number
  readonly patches: readonly Patch[]
  readonly crops: readonly FrameCrop[]
}

/** Copies a rectangle whose place and sides are even out of a frame. */
export function cropFrame({ width, height, bytes }: Frame, rect: Rect, patches: readonly Patch[]): FrameCrop {
  const { x, y } = rect
  const data = copyRect(bytes, width, rect)
  const small = { x: x / 2, y: y / 2, width: rect.width / 2, height: rect.height / 2 }
  const colour = bytes.subarray(width * height)
  const blue = copyRect(colour, width / 2, small)
  const red = copyRect(colour.subarray((width * height) / 4), width / 2, small)
  return { x, y, width: rect.width, height: rect.height, data, blue, red, hidden: hiddenMask(patches, rect) }
}

function copyRect(plane: Uint8Array, stride: number, { x, y, width, height }: Rect): Uint8Array {
  const copy = new Uint8Array(width * height)
  for (let row = 0; row < height; row += 1) {
    const from = (y + row) * stride + x
    copy.set(plane.subarray(from, from + width), row * width)
  }
  return copy
}

/** Bytes that a view holds for itself. */
function viewBytes({ crops }: FrameView): number {
  return crops.reduce((sum, { data }) => sum + data.length * 1.5, 0)
}

/** What a view holds together with others of the same patches. */
function sharedBuffers({ crops, patches }: FrameView): readonly Uint8Array[] {
  return [...crops.map(({ hidden }) => hidden), ...patches.map(({ mask }) => mask)]
}

/** Ticks from one view to the next from which on it is no worse to be without one. */
const maxGap = 32

/** Views of frames before and after the one that is treated, in order, within a bound of bytes. */
export class ViewHistory {
  readonly #most: number
  /** How many of the views hold what they share. */
  readonly #holders = new Map<Uint8Array, number>()
  #bytes = 0
  #views: FrameView[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** All there are, by rising frame. */
  get views(): readonly FrameView[] {
    return this.#views
  }

  /** Bytes that all of them hold. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes the next one; those that serve the frame that shows `now` least give way. */
  add(view: FrameView, now: number): void {
    this.#views.push(view)
    this.#bytes += viewBytes(view)
    for (const shared of sharedBuffers(view)) {
      const holders = this.#holders.get(shared) ?? 0
      if (holders === 0) this.#bytes += shared.length
      this.#holders.set(shared, holders + 1)
    }
    while (this.#bytes > this.#most && this.#views.length > 4) this.#dropLeastUseful(now)
  }

  /** Forgets what shows before a shot or a time. */
  forget(shot: number, before: number): void {
    while (this.#views[0] && (this.#views[0].shot < shot || this.#views[0].time < before)) {
      this.#release(this.#views.shift())
    }
  }

  /** Close neighbours far from now are worth least, those beside which patches change or trust ends are worth more. */
  #dropLeastUseful(now: number): void {
    const views = this.#views
    let [least, place] = [Infinity, 1]
    for (let at = 1; at + 1 < views.length; at += 1) {
      const [before, view, after] = [views[at - 1], views[at], views[at + 1]]
      if (!before || !view || !after || view.time === now) continue
      const isEdge = isBesideEdge(view, before) || isBesideEdge(view, after)
      const gap = Math.min(maxGap, after.time - before.time)
      const value = (gap / (Math.abs(view.time - now) + 8)) * (isEdge ? 4 : 1)
      if (value < least) [least, place] = [value, at]
    }
    this.#release(...views.splice(place, 1))
  }

  #release(view?: FrameView): void {
    if (!view) return
    this.#bytes -= viewBytes(view)
    for (const shared of sharedBuffers(view)) {
      const holders = (this.#holders.get(shared) ?? 1) - 1
      if (holders > 0) {
        this.#holders.set(shared, holders)
        continue
      }
      this.#holders.delete(shared)
      this.#bytes -= shared.length
    }
  }
}

function isBesideEdge(view: FrameView, neighbour: FrameView): boolean {
  return view.patches !== neighbour.patches || (view.confidence === 1 && neighbour.confidence < 1)
}

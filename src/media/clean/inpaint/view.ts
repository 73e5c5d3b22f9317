import type { Rect } from '../../geometry.ts'
import type { Frame, Patch } from '../frame.ts'
import type { CameraPose } from './camera.ts'
import type { GreyImage } from './grey-image.ts'
import { hiddenMask } from './hidden-mask.ts'

/** A part of a frame: luma, hidden mask, and both chroma planes at half the width and height. */
export interface FrameCrop extends GreyImage {
  readonly blue: Uint8Array
  readonly red: Uint8Array
}

/** A frame's kept crops, pose and patches, used to fill other frames. */
export interface FrameView extends CameraPose {
  readonly index: number
  /** When it is shown, in ticks. */
  readonly time: number
  /** Confidence that its unmasked pixels show background, 0 to 1. */
  readonly confidence: number
  readonly patches: readonly Patch[]
  readonly crops: readonly FrameCrop[]
}

/** Copies a rectangle of a frame; its position and size must be even. */
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

/** Bytes that a view owns. */
function viewBytes({ crops }: FrameView): number {
  return crops.reduce((sum, { data }) => sum + data.length * 1.5, 0)
}

/** Buffers that a view shares with views of the same patches. */
function sharedBuffers({ crops, patches }: FrameView): readonly Uint8Array[] {
  return [...crops.map(({ hidden }) => hidden), ...patches.map(({ mask }) => mask)]
}

/** Gap between views, in ticks, beyond which a larger gap is no worse. */
const maxGap = 32

/** Views before and after the current frame, in order, within a limit of bytes. */
export class ViewHistory {
  readonly #most: number
  /** Number of views that share each buffer. */
  readonly #holders = new Map<Uint8Array, number>()
  #bytes = 0
  #views: FrameView[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** All views, by ascending frame. */
  get views(): readonly FrameView[] {
    return this.#views
  }

  /** Bytes held by all views. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds the next view and evicts the least useful ones for the frame at tick `now`. */
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

  /** Removes views before a shot or a time in ticks. */
  forget(shot: number, before: number): void {
    while (this.#views[0] && (this.#views[0].shot < shot || this.#views[0].time < before)) {
      this.#release(this.#views.shift())
    }
  }

  /**
   * A view is least useful if its neighbours are close and it is far from now. Views at the edge of a patch interval or
   * a fade count four times.
   */
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

import type { Frame, FrameTreatment, Patch } from '../frame.ts'
import { type InpaintingModels, TemporalInpainter } from './temporal-inpainter.ts'
import { type FrameFormat, ticksToFrames } from './timebase.ts'

/** Memory limit of frames read ahead, in bytes. */
const maxAheadBytes = 160 * 2 ** 20
/** Look-ahead time in ticks: 2 s. */
const lookAheadTicks = 50

/** Returns how many frames before and after a part can contribute to its fill. */
export function lookAheadFrames(fps: number): number {
  return ticksToFrames({ fps }, lookAheadTicks)
}

/**
 * Creates a treatment that fills patches with the background: warped from earlier and later frames that show it,
 * synthesized where none does. Looks ahead by up to 2 s and back by 24 s, within memory limits. At the end of a part,
 * crossfades to the fill of the next part: both fill the frames of the overlap from the same content. Without patches
 * at the boundary, no overlap is needed.
 */
export function createInpainter(format: FrameFormat, models: InpaintingModels = {}): FrameTreatment {
  return async function* inpaint(frames, { first, firstNeeded = first, overlap, ...marks }) {
    const inpainter = new TemporalInpainter(format, marks, models)
    const { patchesAt } = marks
    const isFilledAcross = (bound: number) => patchesAt(bound - 1).length > 0 && patchesAt(bound).length > 0
    const filledFrom = isFilledAcross(firstNeeded) ? first : firstNeeded
    const next =
      overlap && isFilledAcross(overlap.to)
        ? { ...overlap, inpainter: new TemporalInpainter(format, marks, models) }
        : undefined
    const mostFrames = Math.floor(maxAheadBytes / (format.width * format.height * 1.5))
    const ahead = Math.max(4, Math.min(lookAheadFrames(format.fps), mostFrames))
    const waiting: Frame[] = []
    let [read, yielded] = [first, first]
    const fill = async (frame: Frame, index: number): Promise<Frame> => {
      if (index < filledFrom) return inpainter.skip(frame, index)
      if (!next || index < next.from || index >= next.to) return await inpainter.fillFrame(frame, index)
      const other = await next.inpainter.fillFrame({ ...frame, bytes: frame.bytes.slice() }, index)
      const own = await inpainter.fillFrame(frame, index)
      crossfade(own, other, {
        patches: patchesAt(index),
        share: (index + 1 - next.from) / (next.to - next.from),
      })
      return own
    }
    for await (const frame of frames) {
      inpainter.observe(frame, read, yielded)
      if (next && read >= next.from) next.inpainter.observe(frame, read, Math.max(yielded, next.from))
      waiting.push(frame)
      read += 1
      if (waiting.length <= ahead) continue
      const oldest = waiting.shift()
      if (oldest) yield await fill(oldest, yielded)
      yielded += 1
    }
    for (const frame of waiting) {
      yield await fill(frame, yielded)
      yielded += 1
    }
  }
}

/** Share of the overlap, at its end, during which the crossfade takes place. */
const crossfadeShare = 0.5

/**
 * Crossfades a filled frame towards another fill of the same frame, in place, within its patches. `share` is the
 * position in the overlap, 0 to 1.
 */
function crossfade(
  { width, height, bytes }: Frame,
  other: Frame,
  { patches, share }: { readonly patches: readonly Patch[]; readonly share: number },
): void {
  const part = Math.min(1, Math.max(0, (share - 1 + crossfadeShare) / crossfadeShare))
  if (part === 0) return
  const pixels = width * height
  for (const patch of patches) {
    for (const [from, step] of [
      [0, 1],
      [pixels, 2],
      [pixels * 1.25, 2],
    ] as const) {
      const stride = width / step
      for (let row = patch.y / step; row < (patch.y + patch.height) / step; row += 1) {
        const line = from + row * stride
        for (let at = line + patch.x / step; at < line + (patch.x + patch.width) / step; at += 1) {
          const own = bytes[at] ?? 0
          bytes[at] = Math.round(own + ((other.bytes[at] ?? 0) - own) * part)
        }
      }
    }
  }
}

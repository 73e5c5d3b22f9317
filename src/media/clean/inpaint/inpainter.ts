import type { Frame, FrameTreatment, Patch } from '../frame.ts'
import { type InpaintingModels, TemporalInpainter } from './temporal-inpainter.ts'
import { type FrameFormat, ticksToFrames } from './timebase.ts'

/** Bytes of frames that are read ahead. */
const maxAheadBytes = 160 * 2 ** 20
/** Time that is looked ahead, in ticks: 2 s. */
const lookAheadTicks = 50

/** Frames before and after a stretch that its filling may carry over from. */
export function lookAheadFrames(fps: number): number {
  return ticksToFrames({ fps }, lookAheadTicks)
}

/**
 * Makes what fills patches with the background: carried from frames before and after in which it is seen, made up
 * where none of them shows it. Looks ahead by up to 2 s and back by 24 s, as far as memory is allowed. Towards the end
 * of a stretch that another follows, what it fills passes into what that one begins with: both fill the frames that
 * the other begins with, and see the same of them; where nothing is filled at the bound, nothing before it is needed.
 */
export function createInpainter(film: FrameFormat, learned: InpaintingModels = {}): FrameTreatment {
  return async function* inpaint(frames, { first, wanted = first, handOver, ...marks }) {
    const work = new TemporalInpainter(film, marks, learned)
    const { patchesAt } = marks
    const isFilledOver = (bound: number) => patchesAt(bound - 1).length > 0 && patchesAt(bound).length > 0
    const filledFrom = isFilledOver(wanted) ? first : wanted
    const next =
      handOver && isFilledOver(handOver.to)
        ? { ...handOver, work: new TemporalInpainter(film, marks, learned) }
        : undefined
    const mostFrames = Math.floor(maxAheadBytes / (film.width * film.height * 1.5))
    const ahead = Math.max(4, Math.min(lookAheadFrames(film.fps), mostFrames))
    const waiting: Frame[] = []
    let [read, given] = [first, first]
    const fill = async (frame: Frame, index: number): Promise<Frame> => {
      if (index < filledFrom) return work.skip(frame, index)
      if (!next || index < next.from || index >= next.to) return await work.fill(frame, index)
      const other = await next.work.fill({ ...frame, bytes: frame.bytes.slice() }, index)
      const own = await work.fill(frame, index)
      crossfade(own, other, {
        patches: patchesAt(index),
        share: (index + 1 - next.from) / (next.to - next.from),
      })
      return own
    }
    for await (const frame of frames) {
      work.observe(frame, read, given)
      if (next && read >= next.from) next.work.observe(frame, read, Math.max(given, next.from))
      waiting.push(frame)
      read += 1
      if (waiting.length <= ahead) continue
      const oldest = waiting.shift()
      if (oldest) yield await fill(oldest, given)
      given += 1
    }
    for (const frame of waiting) {
      yield await fill(frame, given)
      given += 1
    }
  }
}

/** Of the frames that both fill, the share at their end over which one filling passes into the other. */
const crossfadeShare = 0.5

/**
 * Has a frame that was filled pass into the same frame filled otherwise: `share` is how far both have come, 0 to 1. In
 * place, within its patches.
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

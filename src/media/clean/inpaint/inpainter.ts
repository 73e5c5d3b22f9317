import type { Frame, FrameTreatment } from '../frame.ts'
import { framesOf, type Film } from './film.ts'
import { mix } from './hand-over.ts'
import { Work, type Learned } from './work.ts'

/** Bytes of frames that are read ahead. */
const mostAhead = 160 * 2 ** 20
/** Time that is looked ahead, in ticks: 2 s. */
const lookAhead = 50

/** Frames before and after a stretch that its filling may carry over from. */
export function lookAheadOf(fps: number): number {
  return framesOf({ fps }, lookAhead)
}

/**
 * Makes what fills patches with the background: carried from frames before and after in which it is seen, made up
 * where none of them shows it. Looks ahead by up to 2 s and back by 24 s, as far as memory is allowed. Towards the end
 * of a stretch that another follows, what it fills passes into what that one begins with: both fill the frames that
 * the other begins with, and see the same of them; where nothing is filled at the bound, nothing before it is needed.
 */
export function makeInpainter(film: Film, learned: Learned = {}): FrameTreatment {
  return async function* inpaint(frames, { first, wanted = first, handOver, ...marks }) {
    const work = new Work(film, marks, learned)
    const { patchesAt } = marks
    const isFilledOver = (bound: number) => patchesAt(bound - 1).length > 0 && patchesAt(bound).length > 0
    const filledFrom = isFilledOver(wanted) ? first : wanted
    const next =
      handOver && isFilledOver(handOver.to)
        ? { ...handOver, work: new Work(film, marks, learned) }
        : undefined
    const mostFrames = Math.floor(mostAhead / (film.width * film.height * 1.5))
    const ahead = Math.max(4, Math.min(lookAheadOf(film.fps), mostFrames))
    const waiting: Frame[] = []
    let [read, given] = [first, first]
    const fill = async (frame: Frame, index: number): Promise<Frame> => {
      if (index < filledFrom) return work.leave(frame, index)
      if (!next || index < next.from || index >= next.to) return await work.complete(frame, index)
      const other = await next.work.complete({ ...frame, bytes: frame.bytes.slice() }, index)
      const own = await work.complete(frame, index)
      mix(own, other, { patches: patchesAt(index), share: (index + 1 - next.from) / (next.to - next.from) })
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

/** How one side of a picture comes onto the slot's side: cut, scale, cut again; all whole pixels. */
export interface AxisFit {
  /** First pixel taken of the source; even. */
  readonly start: number
  /** Pixels taken of the source. */
  readonly taken: number
  /** They are scaled to this many. */
  readonly scaled: number
  /** First of the scaled pixels that shows; where it is odd, the second cut needs 4:4:4 chroma. */
  readonly offset: number
  /** Pixels that show. */
  readonly shown: number
}

interface FitAxisOptions {
  /** Pixels of the source along this side. */
  readonly length: number
  /** The part of them to show; any fractions of pixels. */
  readonly from: number
  readonly to: number
  /** Pixels of the result along this side; even. */
  readonly shown: number
}

/** Source pixels tried beyond each end of the wished part. More finds hardly better fits and scales more. */
const reach = 64

/** Misplacement, in pixels of the result, that no one sees: below it the fit that scales less wins. */
const invisibleError = 0.02

/** Misplacement from which cutting at odd pixels is worth its work. */
const visibleError = 0.1

/**
 * Filters cut at whole pixels, at even ones because of 4:2:0 chroma, while a centred crop begins anywhere.
 * Cutting a little more than wished before scaling and the rest after it gives many pairs of whole numbers
 * that come close; this finds the closest, mostly within a few hundredths of a pixel. Where all even ones are
 * further off than can be seen, as when less than a pixel is to be cut off, odd ones are taken.
 */
export function fitAxis(wish: FitAxisOptions): AxisFit {
  const even = closestFit(wish, 2)
  return misplacement(even, wish) < visibleError ? even : closestFit(wish, 1)
}

function closestFit(wish: FitAxisOptions, step: 1 | 2): AxisFit {
  let best: AxisFit = { start: 0, taken: wish.length, scaled: wish.shown, offset: 0, shown: wish.shown }
  let least = Infinity
  for (const fit of candidateFits(wish, step)) {
    const score = Math.max(invisibleError, misplacement(fit, wish)) + fit.scaled * 1e-9
    if (score < least) {
      least = score
      best = fit
    }
  }
  return best
}

/** Fits that hold the wished part, close to the wished scale; what is scaled and cut are multiples of the step. */
function* candidateFits({ length, from, to, shown }: FitAxisOptions, step: 1 | 2): Generator<AxisFit> {
  const ends = [...evenNumbers(to, Math.min(length, to + reach)), ...(to > length - reach ? [length] : [])]
  for (const start of evenNumbers(Math.max(0, from - reach), from)) {
    for (const end of ends) {
      const taken = end - start
      for (const scaled of multiplesAround((taken * shown) / (to - from), step)) {
        for (const offset of multiplesAround(((from - start) * scaled) / taken, step)) {
          if (offset >= 0 && offset + shown <= scaled) yield { start, taken, scaled, offset, shown }
        }
      }
    }
  }
}

/** The part of the source that a fit shows, in its pixels. */
export function shownPart({ start, taken, scaled, offset, shown }: AxisFit): { from: number; to: number } {
  return { from: start + (offset * taken) / scaled, to: start + ((offset + shown) * taken) / scaled }
}

/** Largest distance of a fit's edges from where they should be, in pixels of the result. */
export function misplacement(fit: AxisFit, { from, to, shown }: FitAxisOptions): number {
  const part = shownPart(fit)
  return (Math.max(Math.abs(part.from - from), Math.abs(part.to - to)) * shown) / (to - from)
}

/** The multiples of a step on both sides of a value. */
function multiplesAround(value: number, step: number): number[] {
  const below = step * Math.floor(value / step)
  return [below, below + step]
}

function evenNumbers(from: number, to: number): number[] {
  const first = 2 * Math.ceil(from / 2)
  const last = 2 * Math.floor(to / 2)
  return Array.from({ length: Math.max(0, (last - first) / 2 + 1) }, (_, index) => first + 2 * index)
}

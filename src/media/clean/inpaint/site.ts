import type { Frame, Patch } from '../frame.ts'
import { blend, type Filling } from './blend.ts'
import { carry } from './carry.ts'
import type { Cells } from './cells.ts'
import { release, type Layer } from './layer.ts'
import { matchTo, type Rings } from './match.ts'
import { sourceOf } from './pick.ts'
import type { View } from './view.ts'

/** A patch of a frame that is being filled. */
export interface Site {
  readonly patch: Patch
  readonly cells: Cells
  readonly rings: Rings
  readonly filling: Filling
}

/** A frame whose patches are filled as far as other frames show what they hide. */
export interface Half {
  readonly frame: Frame
  readonly now: View
  readonly sites: readonly Site[]
  /** Frames before and after it. */
  readonly views: readonly View[]
}

/** Tells whether something of a patch is not filled yet. */
export function isLeft({ mask }: Patch, { isFilled }: Filling): boolean {
  return mask.some((is, at) => is === 1 && isFilled[at] === 0)
}

/** What a picture shows of a patch where its hidden part was made up, and how unlike its surroundings have become, in levels. */
export async function layerOf(
  { patch, cells, rings }: Site,
  now: View,
  { view, worth }: { view: View; worth: number },
): Promise<{ layer: Layer; doubt: number } | undefined> {
  const source = sourceOf(view, now, cells)
  const match = source && (await matchTo(rings, source))
  if (!match) return undefined
  let [sum, count] = [0, 0]
  for (let at = 0; at < cells.away.length; at += 1) {
    if (cells.away[at] !== 1) continue
    sum += match.doubt[at] ?? 0
    count += 1
  }
  // It was laid on by what was seen alone; all of it is taken.
  const crop = { ...match.crop, hidden: new Uint8Array(match.crop.hidden.length) }
  return { layer: carry(patch, cells, { match: { ...match, crop }, worth }), doubt: sum / Math.max(1, count) }
}

/** Fills what is left by layers. */
export function take(patch: Patch, filling: Filling, layers: readonly Layer[]): void {
  if (layers.length === 0) return
  const rest = blend(patch, layers)
  release(layers)
  const { width } = patch
  for (let at = 0; at < rest.isFilled.length; at += 1) {
    if (filling.isFilled[at] === 1 || rest.isFilled[at] === 0) continue
    filling.isFilled[at] = 1
    filling.luma[at] = rest.luma[at] ?? 0
    const [row, column] = [Math.floor(at / width), at % width]
    // The first of the four pixels that share a sample of colour tells it; that of the others may be known already.
    if ((row | column) & 1) continue
    const small = (row >> 1) * (width >> 1) + (column >> 1)
    filling.blue[small] = rest.blue[small] ?? 128
    filling.red[small] = rest.red[small] ?? 128
  }
}

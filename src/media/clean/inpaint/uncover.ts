import type { Overlay, Patch } from '../frame.ts'
import type { Filling } from './blend.ts'
import { guessOf } from './overlay-fit.ts'
import { isLeft } from './site.ts'
import type { Crop } from './view.ts'

/** Deviations, and levels beside, by which a pixel may differ from what it usually shows. */
const usual = { deviations: 4, levels: 10 }

/**
 * Fills what no other frame shows of a patch, where something translucent is known to lie over it, by taking that
 * away from what the frame shows itself; not where it shows something else this time.
 */
export function uncover(
  crop: Crop,
  { patch, overlay }: { readonly patch: Patch; readonly overlay: Overlay },
  { patch: wide, filling }: { readonly patch: Patch; readonly filling: Filling },
): void {
  if (!isLeft(wide, filling)) return
  const {
    transmittance: through,
    lumaOffset: added,
    residual: rest,
    blueOffset: blue,
    redOffset: red,
  } = overlay
  const [left, top] = [patch.x - wide.x, patch.y - wide.y]
  const guess = guessOf(crop.data, crop.hidden, { columns: crop.width, rows: crop.height })
  for (let at = 0; at < patch.mask.length; at += 1) {
    const share = through[at] ?? 0
    const [column, row] = [at % patch.width, Math.floor(at / patch.width)]
    const to = (row + top) * wide.width + column + left
    if (share === 0 || filling.isFilled[to] === 1) continue
    const [x, y] = [patch.x + column - crop.x, patch.y + row - crop.y]
    const from = y * crop.width + x
    const shown = (crop.data[from] ?? 0) - (added[at] ?? 0)
    const apart = Math.abs(shown - share * (guess[from] ?? 0))
    if (apart > usual.deviations * (rest[at] ?? 0) + usual.levels) continue
    filling.luma[to] = shown / share
    filling.isFilled[to] = 1
    if ((row | column) & 1) continue
    const own = (row >> 1) * (patch.width >> 1) + (column >> 1)
    const into = ((row + top) >> 1) * (wide.width >> 1) + ((column + left) >> 1)
    const small = (y >> 1) * (crop.width >> 1) + (x >> 1)
    filling.blue[into] = ((crop.blue[small] ?? 128) - (blue[own] ?? 0)) / share
    filling.red[into] = ((crop.red[small] ?? 128) - (red[own] ?? 0)) / share
  }
}

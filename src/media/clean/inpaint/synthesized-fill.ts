import type { Patch } from '../frame.ts'
import { ringMargin } from './cell-grid.ts'
import type { WarpedLayer } from './warp-patch.ts'
import { cropToImage, type FillHoles, imageToCrop, insertFill } from './holed-image.ts'
import { growRect } from './hidden-mask.ts'
import { locateSource } from './pick-sources.ts'
import { hasUnfilled, warpView, applyLayers, type PartialFrame, type FillSite } from './site.ts'
import { cropFrame, type FrameCrop, type FrameView } from './view.ts'
import { intersectRects, type Rect } from '../../geometry.ts'

/**
 * A position at which patches appear over time, possibly moving, and the views synthesized for it: one, or two during a
 * crossfade.
 */
interface FillTrack {
  readonly shot: number
  /** Last use, in ticks. */
  usedAt: number
  rect: Rect
  views: readonly SynthesizedView[]
}

/** A synthesized view and the tick of its first use. */
interface SynthesizedView {
  readonly view: FrameView
  readonly since: number
}

/** Least ratio of contrast for synthesizing from another frame instead of this one. */
const minContrastRatio = 1.6
/** Ticks after which an unused track ends. */
const maxIdleTicks = 300
/** Ticks over which one synthesized view crossfades to the next. */
const crossfadeTicks = 8
/** Least lifetime of a synthesized view, in ticks. */
const minLifetimeTicks = 12
/** Deviation of the surroundings, in levels, above which a view is synthesized anew. */
const maxResidual = 9

/**
 * Fills what no frame shows. Synthesizes a view once per position, then warps it like an observed one, so that the fill
 * is stable over time.
 */
export class SynthesizedFill {
  readonly #fill: FillHoles
  readonly #size: { readonly width: number; readonly height: number }
  #tracks: FillTrack[] = []

  constructor(size: { readonly width: number; readonly height: number }, fill: FillHoles) {
    this.#size = size
    this.#fill = fill
  }

  /** Fills the remaining pixels of a site. */
  async fillSite(partial: PartialFrame, site: FillSite): Promise<void> {
    const { patch, fill: filling } = site
    if (!hasUnfilled(patch, filling)) return
    const isSeen = filling.isFilled.slice()
    const track = this.#trackAt(patch, partial.now)
    const last = track.views.at(-1)
    const age = partial.now.time - (last?.since ?? 0) + 1
    const share = Math.min(1, age / crossfadeTicks)
    const layers: WarpedLayer[] = []
    let residual: number | undefined
    for (const synthesized of track.views) {
      const found = await warpView(site, partial.now, {
        view: synthesized.view,
        weight: synthesized === last ? share : 1 - share,
      })
      if (found) layers.push(found.layer)
      residual = found?.residual
    }
    applyLayers(patch, filling, layers)
    if (share === 1) track.views = track.views.slice(-1)
    const isOutdated = age > minLifetimeTicks && (residual ?? 0) > maxResidual
    if (!hasUnfilled(patch, filling) && !isOutdated) return
    const hasInitialGuess = residual !== undefined && residual < 2 * maxResidual
    const view =
      (last ? undefined : await this.#synthesizeFromClearerView(partial, site)) ??
      (await this.#synthesize(partial, { ...site, isSeen }, hasInitialGuess))
    track.views = [...track.views.slice(-1), { view, since: partial.now.time }]
    const warped = await warpView(site, partial.now, { view, weight: 1 })
    if (warped) applyLayers(patch, filling, [warped.layer])
  }

  /**
   * Synthesizes from a view with much more contrast, such as the one after a fade-in: a dark frame gives poor results.
   * Undefined if there is none.
   */
  async #synthesizeFromClearerView(
    { now, views }: PartialFrame,
    { cells, rings }: FillSite,
  ): Promise<FrameView | undefined> {
    let best: { view: FrameView; crop: FrameCrop } | undefined
    let most = minContrastRatio * (lumaDeviation(rings.crop) + 1)
    for (const view of views) {
      const source = view.shot === now.shot ? locateSource(view, now, cells) : undefined
      const contrast = source ? lumaDeviation(source.crop) : 0
      if (source && contrast > most) [best, most] = [source, contrast]
    }
    if (!best) return undefined
    const holed = cropToImage(best.crop, best.crop.hidden.slice())
    await this.#fill(holed, { hasInitialGuess: false, isRgb: false })
    return { ...best.view, crops: [imageToCrop(holed, best.crop, best.crop.hidden)] }
  }

  /** Returns the track of a patch at about this position, or a new one. */
  #trackAt(patch: Patch, { shot, time }: FrameView): FillTrack {
    this.#tracks = this.#tracks.filter((track) => track.shot === shot && time - track.usedAt < maxIdleTicks)
    let track = this.#tracks.find((one) => overlapRatio(one.rect, patch) > 0.4)
    if (!track) this.#tracks.push((track = { shot, usedAt: time, rect: patch, views: [] }))
    track.rect = patch
    track.usedAt = time
    return track
  }

  async #synthesize(
    { frame, now, sites }: PartialFrame,
    { patch, fill: filling, isSeen }: FillSite & { isSeen: Uint8Array },
    hasInitialGuess: boolean,
  ): Promise<FrameView> {
    const margin = Math.max(48, ringMargin(this.#size), Math.min(160, patch.width, patch.height))
    const area = growRect(patch, { x: margin, y: margin }, this.#size)
    const crop = cropFrame(frame, area, now.patches)
    const holed = cropToImage(crop, crop.hidden.slice())
    for (const site of sites) {
      insertFill(holed, crop, {
        patch: site.patch,
        filling: site.fill,
        isKnown: site.patch === patch ? isSeen : site.fill.isFilled,
      })
    }
    insertFill(holed, crop, { patch, filling, isKnown: isSeen })
    await this.#fill(holed, { hasInitialGuess, isRgb: false })
    return { ...now, crops: [imageToCrop(holed, crop, crop.hidden)] }
  }
}

/** Intersection over union of two rectangles, 0 to 1. */
function overlapRatio(one: Rect, other: Rect): number {
  const { width, height } = intersectRects(one, other)
  const shared = width * height
  return shared / (one.width * one.height + other.width * other.height - shared)
}

/** Standard deviation of visible luma, in levels. */
function lumaDeviation({ data, hidden }: FrameCrop): number {
  let [count, sum, squares] = [1, 0, 0]
  for (let at = 0; at < data.length; at += 7) {
    if (hidden[at] !== 0) continue
    const value = data[at] ?? 0
    count += 1
    sum += value
    squares += value * value
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
}

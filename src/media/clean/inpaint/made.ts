import type { Patch } from '../frame.ts'
import { ringOf } from './cells.ts'
import type { Layer } from './layer.ts'
import { cropOf, lay, pictureOf } from './made-picture.ts'
import { grown } from './masks.ts'
import { sourceOf } from './pick.ts'
import type { FillHoles } from './picture.ts'
import { isLeft, layerOf, take, type Half, type Site } from './site.ts'
import { cutOut, type Crop, type View } from './view.ts'
import type { Rect } from '../../geometry.ts'

/** A place that patches lay at, maybe moving, and the pictures made up there: one, or two while one passes into the other. */
interface Lane {
  readonly shot: number
  /** When it was last used, in ticks. */
  used: number
  place: Rect
  made: readonly Made[]
}

/** A picture that was made up, and the tick since which it is used. */
interface Made {
  readonly view: View
  readonly since: number
}

/** How many times the contrast of another frame has to be this one's, for a picture to be made of that. */
const clearer = 1.6
/** Ticks after which an unused lane ends. */
const keptUnused = 300
/** Ticks over which one made-up picture passes into the next. */
const passing = 8
/** Ticks that a made-up picture is kept at least. */
const keptFor = 12
/** Levels by which what lies around may come to differ before another is made. */
const mostDoubt = 9

/** What no frame shows: made up once for a place, then carried along like what was seen, so that it holds still. */
export class MadeUp {
  readonly #fill: FillHoles
  readonly #size: { readonly width: number; readonly height: number }
  #lanes: Lane[] = []

  constructor(size: { readonly width: number; readonly height: number }, fill: FillHoles) {
    this.#size = size
    this.#fill = fill
  }

  /** Fills what is left of a site. */
  async complete(half: Half, site: Site): Promise<void> {
    const { patch, filling } = site
    if (!isLeft(patch, filling)) return
    const isSeen = filling.isFilled.slice()
    const lane = this.#laneOf(patch, half.now)
    const last = lane.made.at(-1)
    const age = half.now.time - (last?.since ?? 0) + 1
    const share = Math.min(1, age / passing)
    const layers: Layer[] = []
    let doubt: number | undefined
    for (const made of lane.made) {
      const found = await layerOf(site, half.now, {
        view: made.view,
        worth: made === last ? share : 1 - share,
      })
      if (found) layers.push(found.layer)
      doubt = found?.doubt
    }
    take(patch, filling, layers)
    if (share === 1) lane.made = lane.made.slice(-1)
    const isUnlike = age > keptFor && (doubt ?? 0) > mostDoubt
    if (!isLeft(patch, filling) && !isUnlike) return
    const isBegun = doubt !== undefined && doubt < 2 * mostDoubt
    const view =
      (last ? undefined : await this.#makeOfClearer(half, site)) ??
      (await this.#make(half, { ...site, isSeen }, isBegun))
    lane.made = [...lane.made.slice(-1), { view, since: half.now.time }]
    const made = await layerOf(site, half.now, { view, worth: 1 })
    if (made) take(patch, filling, [made.layer])
  }

  /** Out of a dark frame nothing good is made: of a view with much more contrast, as a fade has later; else undefined. */
  async #makeOfClearer({ now, views }: Half, { cells, rings }: Site): Promise<View | undefined> {
    let best: { view: View; crop: Crop } | undefined
    let most = clearer * (contrastOf(rings.crop) + 1)
    for (const view of views) {
      const source = view.shot === now.shot ? sourceOf(view, now, cells) : undefined
      const contrast = source ? contrastOf(source.crop) : 0
      if (source && contrast > most) [best, most] = [source, contrast]
    }
    if (!best) return undefined
    const holed = pictureOf(best.crop, best.crop.hidden.slice())
    await this.#fill(holed, { isBegun: false, isRgb: false })
    return { ...best.view, crops: [cropOf(holed, best.crop, best.crop.hidden)] }
  }

  /** The lane of a patch that lay about here. */
  #laneOf(patch: Patch, { shot, time }: View): Lane {
    this.#lanes = this.#lanes.filter((lane) => lane.shot === shot && time - lane.used < keptUnused)
    let lane = this.#lanes.find((one) => overlap(one.place, patch) > 0.4)
    if (!lane) this.#lanes.push((lane = { shot, used: time, place: patch, made: [] }))
    lane.place = patch
    lane.used = time
    return lane
  }

  async #make(
    { frame, now, sites }: Half,
    { patch, filling, isSeen }: Site & { isSeen: Uint8Array },
    isBegun: boolean,
  ): Promise<View> {
    const margin = Math.max(48, ringOf(this.#size), Math.min(160, patch.width, patch.height))
    const area = grown(patch, { x: margin, y: margin }, this.#size)
    const crop = cutOut(frame, area, now.patches)
    const holed = pictureOf(crop, crop.hidden.slice())
    for (const site of sites) {
      lay(holed, crop, {
        patch: site.patch,
        filling: site.filling,
        isKnown: site.patch === patch ? isSeen : site.filling.isFilled,
      })
    }
    lay(holed, crop, { patch, filling, isKnown: isSeen })
    await this.#fill(holed, { isBegun, isRgb: false })
    return { ...now, crops: [cropOf(holed, crop, crop.hidden)] }
  }
}

/** Shared area of two rectangles against both. */
function overlap(one: Rect, other: Rect): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  const shared = Math.max(0, width) * Math.max(0, height)
  return shared / (one.width * one.height + other.width * other.height - shared)
}

/** Deviation of brightness that is seen, in levels. */
function contrastOf({ data, hidden }: Crop): number {
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

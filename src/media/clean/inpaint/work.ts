import type { Frame, Patch, PatchesAt, FrameTreatment } from '../frame.ts'
import { Areas, reach } from './areas.ts'
import { blend, write } from './blend.ts'
import { carry } from './carry.ts'
import { cellsOf } from './cells.ts'
import { byExample } from './fill-still.ts'
import { strideOf, timeOf, type Film } from './film.ts'
import type { FindFlow } from './flow.ts'
import { History } from './history.ts'
import { release, type Layer } from './layer.ts'
import { MadeUp } from './made.ts'
import { matchTo, type Match } from './match.ts'
import { Camera } from './motion.ts'
import { pickSources } from './pick.ts'
import type { FillHoles } from './picture.ts'
import { ringsOf } from './ring.ts'
import { closeSeams, withBand } from './seam.ts'
import type { Site } from './site.ts'
import { trustOf } from './trust.ts'
import { uncover } from './uncover.ts'
import { cutOut, type View } from './view.ts'

/** Bytes that views of other frames take at most. */
const mostViews = 128 * 2 ** 20

/** What learned models may do instead. */
export interface Learned {
  /** Fills what no frame shows. */
  readonly fill?: FillHoles | undefined
  /** Finds what moves by itself around a patch. */
  readonly flow?: FindFlow | undefined
}

/** What is to be filled, and what is known of what lies there. */
type Marks = Pick<Parameters<FrameTreatment>[1], 'patchesAt' | 'overlayOf'>

/** Views of a frame, and how they lay on a patch of the frame before. */
type Matches = Map<number, Match>

/** Fills the patches of frames in order, out of those that it has observed: some ahead, and what it kept of those before. */
export class Work {
  readonly #film: Film
  readonly #patchesAt: PatchesAt
  readonly #overlayOf: Marks['overlayOf']
  readonly #flow: FindFlow | undefined
  readonly #camera: Camera
  readonly #areas: Areas
  readonly #history = new History(mostViews)
  readonly #madeUp: MadeUp
  /** Frames that are read and not filled yet, whatever gave way of what was kept of them. */
  readonly #read = new Map<number, View>()
  #before: ReadonlyMap<Patch, Matches> = new Map()
  #isKept = false

  constructor(film: Film, { patchesAt, overlayOf }: Marks, { fill = byExample, flow }: Learned) {
    this.#film = film
    this.#patchesAt = patchesAt
    this.#overlayOf = overlayOf
    this.#flow = flow
    this.#camera = new Camera(film)
    this.#madeUp = new MadeUp(film, fill)
    this.#areas = new Areas(patchesAt, film)
  }

  /** Looks at the next frame, while the frame `now` is the next to be filled. */
  observe(frame: Frame, index: number, now: number): void {
    const patches = this.#patchesAt(index)
    const view = {
      ...this.#camera.observe(frame, patches),
      ...{ index, time: timeOf(this.#film, index), patches, crops: [] },
      trust: trustOf(this.#patchesAt, index, this.#film),
    }
    this.#read.set(index, view)
    this.#isKept = this.#isWanted(index)
    if (!this.#isKept) return
    const crops = this.#areas.at(index).map((area) => cutOut(frame, area, patches))
    this.#history.add({ ...view, crops }, timeOf(this.#film, now))
  }

  /** Of fast rates some frames, and those beside which patches change, but never two in a row for that. */
  #isWanted(index: number): boolean {
    const stride = strideOf(this.#film)
    if (index % stride === 0) return true
    const patches = this.#patchesAt(index)
    const isEdge = this.#patchesAt(index - 1) !== patches || this.#patchesAt(index + 1) !== patches
    return isEdge && !this.#isKept
  }

  /** Leaves a frame that was observed as it is. */
  leave(frame: Frame, index: number): Frame {
    this.#read.delete(index)
    return frame
  }

  /** Fills what is marked of a frame that was observed, in place. */
  async complete(frame: Frame, index: number): Promise<Frame> {
    const now = this.#read.get(index)
    this.#read.delete(index)
    if (!now || now.patches.length === 0) return frame
    this.#history.forget(now.shot, now.time - 2 * reach)
    const used = new Map<Patch, Matches>()
    const sites: Site[] = []
    for (const patch of now.patches) {
      const matches: Matches = new Map()
      sites.push(await this.#siteOf(frame, { patch, now, matches }))
      used.set(patch, matches)
    }
    this.#before = used
    for (const site of sites) {
      await this.#madeUp.complete({ frame, now, sites, views: this.#history.views }, site)
      closeSeams(site.patch, site.filling, site.rings.crop)
      write(site.patch, site.filling, frame)
    }
    return frame
  }

  /** A patch, filled with what other frames show of it. */
  async #siteOf(
    frame: Frame,
    { patch, now, matches }: { patch: Patch; now: View; matches: Matches },
  ): Promise<Site> {
    const cells = cellsOf(patch, this.#film)
    const known: Matches = this.#before.get(patch) ?? new Map()
    const sources = pickSources(cells, now, { views: this.#history.views, liked: known })
    const rings = ringsOf(cutOut(frame, cells, now.patches), cells)
    const wide = withBand(patch, this.#film)
    const layers: Layer[] = []
    for (const source of sources) {
      const before = known.get(source.view.index)
      const match = await matchTo(rings, source, { before, flow: this.#flow })
      if (!match) continue
      matches.set(source.view.index, match)
      const worth = source.view.trust / (4 + Math.abs(source.view.time - now.time))
      layers.push(carry(wide, cells, { match, worth }))
    }
    const filling = blend(wide, layers)
    release(layers)
    const overlay = this.#overlayOf?.(patch)
    if (overlay) uncover(rings.crop, { patch, overlay }, { patch: wide, filling })
    return { patch: wide, cells, rings, filling }
  }
}

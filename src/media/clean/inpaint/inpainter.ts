import type { Frame, Patch, PatchesAt, Treat } from '../patch.ts'
import { Areas, reach } from './areas.ts'
import { blend, write } from './blend.ts'
import { carry } from './carry.ts'
import { release, type Layer } from './layer.ts'
import { cellsOf } from './cells.ts'
import { History } from './history.ts'
import { matchTo, type Match } from './match.ts'
import type { FindFlow } from './flow.ts'
import { byExample } from './fill-still.ts'
import type { FillHoles } from './picture.ts'
import { MadeUp } from './made.ts'
import type { Site } from './site.ts'
import { Camera } from './motion.ts'
import { pickSources } from './pick.ts'
import { ringsOf } from './ring.ts'
import { closeSeams, withBand } from './seam.ts'
import { cutOut, type View } from './view.ts'

/** Bytes that views of other frames take at most, and frames that are read ahead. */
const mostViews = 128 * 2 ** 20
const mostAhead = 160 * 2 ** 20
const framesAhead = 64

/** What learned models may do instead. */
interface Learned {
  /** Fills what no frame shows. */
  readonly fill?: FillHoles | undefined
  /** Finds what moves by itself around a patch. */
  readonly flow?: FindFlow | undefined
}

/**
 * Makes what fills patches with the background: carried from frames before and after in which it is seen, made up
 * where none of them shows it. Looks ahead by up to 64 frames and back by 600, as far as memory is allowed.
 */
export function makeInpainter(size: Size, learned: Learned = {}): Treat {
  return async function* inpaint(frames, { first, patchesAt }) {
    const work = new Work(size, patchesAt, learned)
    const ahead = Math.max(4, Math.min(framesAhead, Math.floor(mostAhead / (size.width * size.height * 1.5))))
    const waiting: Frame[] = []
    let [read, given] = [first, first]
    for await (const frame of frames) {
      work.observe(frame, read, given)
      waiting.push(frame)
      read += 1
      if (waiting.length <= ahead) continue
      const next = waiting.shift()
      if (next) yield await work.fill(next, given)
      given += 1
    }
    for (const frame of waiting) {
      yield await work.fill(frame, given)
      given += 1
    }
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Views of a frame, and how they lay on a patch of the frame before. */
type Matches = Map<number, Match>

class Work {
  readonly #size: Size
  readonly #patchesAt: PatchesAt
  readonly #flow: FindFlow | undefined
  readonly #camera: Camera
  readonly #areas: Areas
  readonly #history = new History(mostViews)
  readonly #madeUp: MadeUp
  /** Frames that are read and not filled yet, whatever gave way of what was kept of them. */
  readonly #read = new Map<number, View>()
  #before: ReadonlyMap<Patch, Matches> = new Map()

  constructor(size: Size, patchesAt: PatchesAt, { fill = byExample, flow }: Learned) {
    this.#size = size
    this.#patchesAt = patchesAt
    this.#flow = flow
    this.#camera = new Camera(size)
    this.#madeUp = new MadeUp(size, fill)
    this.#areas = new Areas(patchesAt, size)
  }

  observe(frame: Frame, index: number, now: number): void {
    const patches = this.#patchesAt(index)
    const pose = this.#camera.observe(frame, patches)
    const crops = this.#areas.at(index).map((area) => cutOut(frame, area, patches))
    this.#history.add({ ...pose, index, patches, crops }, now)
    this.#read.set(index, { ...pose, index, patches, crops: [] })
  }

  async fill(frame: Frame, index: number): Promise<Frame> {
    const now = this.#read.get(index)
    this.#read.delete(index)
    if (!now || now.patches.length === 0) return frame
    this.#history.forget(now.shot, index - 2 * reach)
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
    const cells = cellsOf(patch, this.#size)
    const known: Matches = this.#before.get(patch) ?? new Map()
    const sources = pickSources(cells, now, { views: this.#history.views, liked: known })
    const rings = ringsOf(cutOut(frame, cells, now.patches), cells)
    const wide = withBand(patch, this.#size)
    const layers: Layer[] = []
    for (const source of sources) {
      const before = known.get(source.view.index)
      const match = await matchTo(rings, source, { before, flow: this.#flow })
      if (!match) continue
      matches.set(source.view.index, match)
      const worth = 1 / (4 + Math.abs(source.view.index - now.index))
      layers.push(carry(wide, cells, { match, worth }))
    }
    const filling = blend(wide, layers)
    release(layers)
    return { patch: wide, cells, rings, filling }
  }
}

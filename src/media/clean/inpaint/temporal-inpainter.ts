import type { Frame, Patch, PatchesAt, FrameTreatment } from '../frame.ts'
import { KeptAreas, historyTicks } from './kept-areas.ts'
import { blendLayers, writeFill } from './blend.ts'
import { releaseLayers, type WarpedLayer, warpPatch } from './warp-patch.ts'
import { cellGrid } from './cell-grid.ts'
import { exemplarFill } from './fill-still.ts'
import { backgroundConfidence, type FrameFormat, frameTicks, historyStride } from './timebase.ts'
import type { EstimateFlow } from './initial-flow.ts'
import { cropFrame, type FrameView, ViewHistory } from './view.ts'
import { SynthesizedFill } from './synthesized-fill.ts'
import { matchView, type ViewMatch } from './match-view.ts'
import { CameraTracker } from './camera.ts'
import { pickSources } from './pick-sources.ts'
import type { FillHoles } from './holed-image.ts'
import { sampleRings } from './ring.ts'
import { closeSeams, widenByBand } from './close-seams.ts'
import type { FillSite } from './site.ts'
import { removeOverlay } from './overlay.ts'

/** Bytes that views of other frames take at most. */
const maxViewBytes = 128 * 2 ** 20

/** What learned models may do instead. */
export interface InpaintingModels {
  /** Fills what no frame shows. */
  readonly fill?: FillHoles | undefined
  /** Finds what moves by itself around a patch. */
  readonly flow?: EstimateFlow | undefined
}

/** What is to be filled, and what is known of what lies there. */
type PatchSources = Pick<Parameters<FrameTreatment>[1], 'patchesAt' | 'overlayOf'>

/** Views of a frame, and how they lay on a patch of the frame before. */
type MatchesByFrame = Map<number, ViewMatch>

/** Fills the patches of frames in order, out of those that it has observed: some ahead, and what it kept of those before. */
export class TemporalInpainter {
  readonly #format: FrameFormat
  readonly #patchesAt: PatchesAt
  readonly #overlayOf: PatchSources['overlayOf']
  readonly #flow: EstimateFlow | undefined
  readonly #camera: CameraTracker
  readonly #areas: KeptAreas
  readonly #history = new ViewHistory(maxViewBytes)
  readonly #synthesized: SynthesizedFill
  /** Frames that are read and not filled yet, whatever gave way of what was kept of them. */
  readonly #read = new Map<number, FrameView>()
  #before: ReadonlyMap<Patch, MatchesByFrame> = new Map()
  #isKept = false

  constructor(
    format: FrameFormat,
    { patchesAt, overlayOf }: PatchSources,
    { fill = exemplarFill, flow }: InpaintingModels,
  ) {
    this.#format = format
    this.#patchesAt = patchesAt
    this.#overlayOf = overlayOf
    this.#flow = flow
    this.#camera = new CameraTracker(format)
    this.#synthesized = new SynthesizedFill(format, fill)
    this.#areas = new KeptAreas(patchesAt, format)
  }

  /** Looks at the next frame, while the frame `now` is the next to be filled. */
  observe(frame: Frame, index: number, now: number): void {
    const patches = this.#patchesAt(index)
    const view = {
      ...this.#camera.observe(frame, patches),
      ...{ index, time: frameTicks(this.#format, index), patches, crops: [] },
      confidence: backgroundConfidence(this.#patchesAt, index, this.#format),
    }
    this.#read.set(index, view)
    this.#isKept = this.#isWanted(index)
    if (!this.#isKept) return
    const crops = this.#areas.at(index).map((area) => cropFrame(frame, area, patches))
    this.#history.add({ ...view, crops }, frameTicks(this.#format, now))
  }

  /** Of fast rates some frames, and those beside which patches change, but never two in a row for that. */
  #isWanted(index: number): boolean {
    const stride = historyStride(this.#format)
    if (index % stride === 0) return true
    const patches = this.#patchesAt(index)
    const isEdge = this.#patchesAt(index - 1) !== patches || this.#patchesAt(index + 1) !== patches
    return isEdge && !this.#isKept
  }

  /** Leaves a frame that was observed as it is. */
  skip(frame: Frame, index: number): Frame {
    this.#read.delete(index)
    return frame
  }

  /** Fills what is marked of a frame that was observed, in place. */
  async fill(frame: Frame, index: number): Promise<Frame> {
    const now = this.#read.get(index)
    this.#read.delete(index)
    if (!now || now.patches.length === 0) return frame
    this.#history.forget(now.shot, now.time - 2 * historyTicks)
    const used = new Map<Patch, MatchesByFrame>()
    const sites: FillSite[] = []
    for (const patch of now.patches) {
      const matches: MatchesByFrame = new Map()
      sites.push(await this.#fillFromViews(frame, { patch, now, matches }))
      used.set(patch, matches)
    }
    this.#before = used
    for (const site of sites) {
      await this.#synthesized.fill({ frame, now, sites, views: this.#history.views }, site)
      closeSeams(site.patch, site.fill, site.rings.crop)
      writeFill(site.patch, site.fill, frame)
    }
    return frame
  }

  /** A patch, filled with what other frames show of it. */
  async #fillFromViews(
    frame: Frame,
    { patch, now, matches }: { patch: Patch; now: FrameView; matches: MatchesByFrame },
  ): Promise<FillSite> {
    const cells = cellGrid(patch, this.#format)
    const known: MatchesByFrame = this.#before.get(patch) ?? new Map()
    const sources = pickSources(cells, now, { views: this.#history.views, used: known })
    const rings = sampleRings(cropFrame(frame, cells, now.patches), cells)
    const wide = widenByBand(patch, this.#format)
    const layers: WarpedLayer[] = []
    for (const source of sources) {
      const before = known.get(source.view.index)
      const match = await matchView(rings, source, { before, flow: this.#flow })
      if (!match) continue
      matches.set(source.view.index, match)
      const scale = source.view.confidence / (4 + Math.abs(source.view.time - now.time))
      layers.push(warpPatch(wide, cells, { match, scale }))
    }
    const filling = blendLayers(wide, layers)
    releaseLayers(layers)
    const overlay = this.#overlayOf?.(patch)
    if (overlay) removeOverlay(rings.crop, { patch, overlay }, { patch: wide, filling })
    return { patch: wide, cells, rings, fill: filling }
  }
}

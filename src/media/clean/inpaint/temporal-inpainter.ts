import type { Frame, Patch, PatchesAt, TreatmentOptions } from '../frame.ts'
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

/** Memory limit of views of other frames, in bytes. */
const maxViewBytes = 128 * 2 ** 20

/** Optional models that replace built-in methods. */
export interface InpaintingModels {
  /** Fills what no frame shows. */
  readonly fill?: FillHoles | undefined
  /** Estimates local motion around a patch. */
  readonly flow?: EstimateFlow | undefined
}

/** Patches to fill and overlays known to cover them. */
type PatchSources = Pick<TreatmentOptions, 'patchesAt' | 'overlayOf'>

/** Matches of views by frame index, as found for the previous frame. */
type MatchesByFrame = Map<number, ViewMatch>

/** Fills the patches of frames in order, from views of observed frames: some ahead, and a history of earlier ones. */
export class TemporalInpainter {
  readonly #format: FrameFormat
  readonly #patchesAt: PatchesAt
  readonly #overlayOf: PatchSources['overlayOf']
  readonly #flow: EstimateFlow | undefined
  readonly #camera: CameraTracker
  readonly #areas: KeptAreas
  readonly #history = new ViewHistory(maxViewBytes)
  readonly #synthesized: SynthesizedFill
  /** Frames observed and not yet filled, even if their view has been evicted. */
  readonly #unfilled = new Map<number, FrameView>()
  #previousMatches: ReadonlyMap<Patch, MatchesByFrame> = new Map()
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

  /** Observes the next frame. `now` is the index of the next frame to fill, which decides what to evict. */
  observe(frame: Frame, index: number, now: number): void {
    const patches = this.#patchesAt(index)
    const view = {
      ...this.#camera.observe(frame, patches),
      ...{ index, time: frameTicks(this.#format, index), patches, crops: [] },
      confidence: backgroundConfidence(this.#patchesAt, index, this.#format),
    }
    this.#unfilled.set(index, view)
    this.#isKept = this.#isWanted(index)
    if (!this.#isKept) return
    const crops = this.#areas.at(index).map((area) => cropFrame(frame, area, patches))
    this.#history.add({ ...view, crops }, frameTicks(this.#format, now))
  }

  /**
   * Keeps every frame up to 30 fps, fewer at higher rates, and frames at which patches change, unless the previous
   * frame was kept.
   */
  #isWanted(index: number): boolean {
    const stride = historyStride(this.#format)
    if (index % stride === 0) return true
    const patches = this.#patchesAt(index)
    const isEdge = this.#patchesAt(index - 1) !== patches || this.#patchesAt(index + 1) !== patches
    return isEdge && !this.#isKept
  }

  /** Returns an observed frame without filling it. */
  skip(frame: Frame, index: number): Frame {
    this.#unfilled.delete(index)
    return frame
  }

  /** Fills the patches of an observed frame, in place. */
  async fillFrame(frame: Frame, index: number): Promise<Frame> {
    const now = this.#unfilled.get(index)
    this.#unfilled.delete(index)
    if (!now || now.patches.length === 0) return frame
    this.#history.forget(now.shot, now.time - 2 * historyTicks)
    const used = new Map<Patch, MatchesByFrame>()
    const sites: FillSite[] = []
    for (const patch of now.patches) {
      const matches: MatchesByFrame = new Map()
      sites.push(await this.#fillFromViews(frame, { patch, now, matches }))
      used.set(patch, matches)
    }
    this.#previousMatches = used
    for (const site of sites) {
      await this.#synthesized.fillSite({ frame, now, sites, views: this.#history.views }, site)
      closeSeams(site.patch, site.fill, site.rings.crop)
      writeFill(site.patch, site.fill, frame)
    }
    return frame
  }

  /** Fills a patch with what other frames show of it. */
  async #fillFromViews(
    frame: Frame,
    { patch, now, matches }: { patch: Patch; now: FrameView; matches: MatchesByFrame },
  ): Promise<FillSite> {
    const cells = cellGrid(patch, this.#format)
    const known: MatchesByFrame = this.#previousMatches.get(patch) ?? new Map()
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

import { decodeFrames, uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { evenSize } from '../../src/media/clean/region.ts'
import { OverlayLearner, type PatchOverlay } from '../../src/media/clean/inpaint/overlay.ts'
import { createPatchLookup, type MarkedRegions } from '../../src/media/clean/masks.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import type { Stretch } from './part.ts'

/** Frames a second that are looked at, and of the whole film at most. */
const samplesPerSecond = 5
const mostSamples = 400

interface Reading {
  readonly threads: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Told 0 to 1, rising. */
  readonly onShare: (share: number) => void
}

/**
 * Learns from frames of all of a film what lies still and translucent over what is marked: the more of the film is
 * seen, the surer, and all parts take the same away. Reads nothing where no mark stays long enough.
 */
export async function learnOverlays(
  { footage, marked }: { readonly footage: Footage & Stretch; readonly marked: MarkedRegions },
  { onShare, ...reading }: Reading,
): Promise<readonly PatchOverlay[]> {
  const { first, rate } = footage
  const size = uprightSize(footage.video)
  const patchesAt = createPatchLookup(marked, { size, rate })
  const step = Math.max(1, Math.round(hertz(rate) / samplesPerSecond), Math.ceil(footage.count / mostSamples))
  const count = Math.ceil(footage.count / step)
  const overlays = new OverlayLearner(evenSize(size))
  for (let sample = 0; sample < count; sample += 1) overlays.countPatches(patchesAt(first + sample * step))
  if (!overlays.hasCandidates) return []
  let sample = 0
  for await (const frame of decodeFrames(footage, { first, count, step, ...reading })) {
    overlays.sample(frame, patchesAt(first + sample * step))
    sample += 1
    onShare(sample / count)
  }
  return overlays.overlays
}

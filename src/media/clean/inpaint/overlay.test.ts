import { describe, expect, it } from 'vitest'
import { measureFidelity } from '../../../../test/footage/fidelity.ts'
import { logo, subtitles, type Overlay as Drawn } from '../../../../test/footage/overlay.ts'
import { createScene, type Scene } from '../../../../test/footage/scene.ts'
import { createInpainter } from './inpainter.ts'
import { findOverlay, OverlayLearner, type PatchOverlay } from './overlay.ts'

const film = { width: 160, height: 90, fps: 25 }
const box = { x: 0.55, y: 0.1, w: 0.35, h: 0.25 }

/** Several shots of different scenes, each with a slow pan. */
function shots(count: number, each: number): Scene {
  const scenes = Array.from({ length: count }, (_, index) =>
    createScene('slow pan', { ...film, count: each, seed: 40 + index }),
  )
  const frameAt = (index: number) => {
    const scene = scenes[Math.floor(index / each)]
    if (!scene) throw new RangeError('a frame of the film')
    return scene.frameAt(index % each)
  }
  return { ...film, count: count * each, frameAt }
}

function learned(scene: Scene, drawn: Drawn, step = 2): readonly PatchOverlay[] {
  const overlays = new OverlayLearner(film)
  for (let index = 0; index < scene.count; index += step) overlays.countPatches(drawn.patchesAt(index))
  for (let index = 0; index < scene.count; index += step) {
    const frame = scene.frameAt(index)
    drawn.draw(frame, index)
    overlays.sample(frame, drawn.patchesAt(index))
  }
  return overlays.overlays
}

/** Share of a patch's pixels with a known overlay. */
function knownShare(known: readonly PatchOverlay[], drawn: Drawn): number {
  const [patch] = drawn.patchesAt(0)
  const through = (patch && findOverlay(known, patch)?.transmittance) ?? new Float32Array(1)
  return through.filter((share) => share > 0).length / through.length
}

/** The first two shots, to measure; an overlay is learned from all of them. */
const firstShots = (scene: Scene): Scene => ({ ...scene, count: 12 })

describe('a translucent overlay', () => {
  it('is removed over changing content, more accurately than by synthesis', async () => {
    const scene = shots(5, 6)
    const drawn = logo(scene, { strength: 0.35, box })
    const known = learned(scene, drawn)
    const treat = createInpainter(film)
    const measured = firstShots(scene)
    const { psnr: made } = await measureFidelity(measured, drawn, treat)
    const uncovered = await measureFidelity(measured, drawn, (frames, given) =>
      treat(frames, { ...given, overlayOf: (patch) => findOverlay(known, patch) }),
    )
    expect(knownShare(known, drawn)).toBeGreaterThan(0.8)
    expect(uncovered.psnr).toBeGreaterThan(made + 2)
    expect(uncovered.changedOutside).toBe(0)
  })

  it('does not degrade changing lines in a permanently marked region', async () => {
    const scene = shots(5, 6)
    const lines = subtitles(scene, { visibleFrames: 4, hiddenFrames: 3, box })
    const always = { draw: lines.draw, patchesAt: () => lines.patchesAt(0) }
    const known = learned(scene, always)
    const treat = createInpainter(film)
    const measured = firstShots(scene)
    const { psnr: made } = await measureFidelity(measured, always, treat)
    const { psnr } = await measureFidelity(measured, always, (frames, given) =>
      treat(frames, { ...given, overlayOf: (patch) => findOverlay(known, patch) }),
    )
    expect(psnr).toBeGreaterThan(made - 0.5)
  })

  it('is distinguished from an opaque overlay, and from uncovered pixels', () => {
    const scene = shots(5, 6)
    const opaque = logo(scene, { box })
    const [patch] = opaque.patchesAt(0)
    const overlay = patch && findOverlay(learned(scene, opaque), patch)
    if (!patch || !overlay) throw new RangeError('a logo with open places')
    const [clean, frame] = [scene.frameAt(3), scene.frameAt(3)]
    opaque.draw(frame, 3)
    let [covered, wrong] = [0, 0]
    for (let at = 0; at < patch.mask.length; at += 1) {
      const place = (patch.y + Math.floor(at / patch.width)) * film.width + patch.x + (at % patch.width)
      if (frame.bytes[place] === clean.bytes[place]) continue
      covered += 1
      if ((overlay.transmittance[at] ?? 0) > 0) wrong += 1
    }
    expect(covered).toBeGreaterThan(200)
    // Some overlay pixels are as bright as what they cover.
    expect(wrong / covered).toBeLessThan(0.02)
  })

  it('is not estimated over static content, nor from a few frames', () => {
    const still = createScene('static', { ...film, count: 40 })
    const mark = logo(still, { strength: 0.35, box })
    expect(knownShare(learned(still, mark), mark)).toBe(0)
    const short = shots(2, 8)
    expect(learned(short, logo(short, { strength: 0.35, box }))).toEqual([])
  })

  it('is estimated after many short-lived patches, and not without visible surroundings', () => {
    const mark = logo(shots(1, 1), { strength: 0.35, box })
    const overlays = new OverlayLearner(film)
    for (let index = 0; index < 400; index += 1) {
      const mask = new Uint8Array(60 * 40).fill(1)
      overlays.countPatches([
        { x: 2 * (index % 50), y: 2 * Math.floor(index / 50), width: 60, height: 40, mask },
      ])
    }
    for (let index = 0; index < 20; index += 1) overlays.countPatches(mark.patchesAt(0))
    expect(overlays.hasCandidates).toBe(true)
    const whole = new OverlayLearner(film)
    const mask = new Uint8Array(film.width * film.height).fill(1)
    for (let index = 0; index < 20; index += 1) whole.countPatches([{ x: 0, y: 0, ...film, mask }])
    expect(whole.hasCandidates).toBe(false)
  })

  it('is not assumed for an opaque overlay over an independently moving object', () => {
    const scene = createScene('walker', { ...film, count: 60 })
    const middle = { x: 0.3, y: 0.55, w: 0.4, h: 0.3 }
    for (const strength of [1, 0.5]) {
      expect(learned(scene, logo(scene, { strength, box: middle }))).toEqual([])
    }
  })

  it('restores chroma even if only some pixels of a block are known', async () => {
    const scene = createScene('static', { ...film, count: 3 })
    const drawn = logo(scene, { box })
    const [patch] = drawn.patchesAt(0)
    if (!patch) throw new RangeError('a logo')
    const { width, height } = patch
    const [lumaOffset, residual, colour] = [width * height, width * height, (width * height) / 4].map(
      (length) => new Float32Array(length),
    ) as [Float32Array, Float32Array, Float32Array]
    // All but the top left pixel of each 2 x 2 block.
    const transmittance = Float32Array.from(
      lumaOffset,
      (_, at) => ((at % width) | Math.floor(at / width)) & 1,
    )
    const overlay = {
      ...{ transmittance, lumaOffset, residual: residual.fill(255) },
      ...{ blueOffset: colour, redOffset: colour },
    }
    const treat = createInpainter(film)
    const { frames } = await measureFidelity(scene, drawn, (given, marks) =>
      treat(given, { ...marks, overlayOf: () => overlay }),
    )
    const clean = scene.frameAt(0).bytes
    for (let row = 0; row < height / 2; row += 1) {
      for (let column = 0; column < width / 2; column += 1) {
        const at = film.width * film.height + (patch.y / 2 + row) * (film.width / 2) + patch.x / 2 + column
        expect(Math.abs((frames[0]?.bytes[at] ?? 0) - (clean[at] ?? 0))).toBeLessThan(40)
      }
    }
  })
})

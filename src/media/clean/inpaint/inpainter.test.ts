import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fidelityOf, type Fidelity } from '../../../../test/footage/fidelity.ts'
import { logo, movingText, subtitles } from '../../../../test/footage/overlay.ts'
import { makeScene, type ShotName } from '../../../../test/footage/scene.ts'
import { blur } from '../blur.ts'
import type { Frame } from '../patch.ts'
import { makeInpainter } from './inpainter.ts'

const size = { width: 320, height: 180 }
const lines = { shown: 14, gone: 4 }

function footage(shot: ShotName, count = 36) {
  return makeScene(shot, { ...size, count })
}

/** What all frames hold, shortened. */
function bytesOf({ frames }: Fidelity): string[] {
  return frames.map(({ bytes }) => createHash('sha1').update(bytes).digest('hex'))
}

describe('what other frames show is carried over', () => {
  // With a camera's noise of 1.2 levels, nothing that is not known exactly comes much nearer than 44 dB.
  it.each([
    ['static', 41],
    ['slow pan', 41],
    ['fast pan', 41],
    ['diagonal pan', 41],
    ['zoom', 41],
    ['hand-held', 40],
    ['cut', 40],
    ['fade', 38],
    ['walker', 28],
  ] as const)('under subtitles, %s: at least %d dB, and 6 dB above blur', async (shot, least) => {
    const scene = footage(shot)
    const overlay = subtitles(scene, lines)
    const ours = await fidelityOf(scene, overlay, makeInpainter(size))
    const blurred = await fidelityOf(scene, overlay, blur)
    expect(ours.psnr).toBeGreaterThan(least)
    expect(ours.psnr).toBeGreaterThan(blurred.psnr + 6)
    expect(ours.changedOutside).toBe(0)
  })

  it.each([
    ['fast pan', 40],
    ['diagonal pan', 32],
  ] as const)('under a logo that is always there, %s: at least %d dB', async (shot, least) => {
    const scene = footage(shot)
    const ours = await fidelityOf(scene, logo(scene), makeInpainter(size))
    expect(ours.psnr).toBeGreaterThan(least)
    expect(ours.changedOutside).toBe(0)
  })

  it('to a thin line in a square picture', async () => {
    const scene = makeScene('static', { width: 720, height: 720, count: 10 })
    const overlay = subtitles(scene, { shown: 6, gone: 4, box: { x: 0.1, y: 0.8, w: 0.4, h: 0.03 } })
    const ours = await fidelityOf(scene, overlay, makeInpainter(scene))
    expect(ours.psnr).toBeGreaterThan(38)
  })

  it('under text that moves', async () => {
    const scene = footage('static', 48)
    const ours = await fidelityOf(scene, movingText(scene, { speed: 4 }), makeInpainter(size))
    expect(ours.psnr).toBeGreaterThan(38)
  })
})

describe('what no frame shows', () => {
  it.each([
    ['static', 3],
    ['hand-held', 9],
  ] as const)(
    'is made up once and holds still, %s: changes of its error below %d levels',
    async (shot, most) => {
      const scene = footage(shot, 24)
      const ours = await fidelityOf(scene, logo(scene), makeInpainter(size))
      expect(ours.psnr).toBeGreaterThan(20)
      expect(ours.flicker).toBeLessThan(most)
      expect(ours.changedOutside).toBe(0)
    },
  )

  it('is made up also of a small place in a large picture', async () => {
    const scene = makeScene('static', { width: 2560, height: 1440, count: 1 })
    const overlay = logo(scene, { box: { x: 0.4, y: 0.4, w: 0.1, h: 0.028 } })
    const ours = await fidelityOf(scene, overlay, makeInpainter(scene))
    expect(ours.worst).toBeGreaterThan(18)
  })

  it('shows nothing of what lay there, nor depends on it', async () => {
    const scene = footage('hand-held', 8)
    const dark = { ...logo(scene), draw: (frame: Frame) => logo(scene, { strength: 0.3 }).draw(frame, 0) }
    const one = await fidelityOf(scene, logo(scene), makeInpainter(size))
    const other = await fidelityOf(scene, dark, makeInpainter(size))
    expect(bytesOf(one)).toEqual(bytesOf(other))
  })
})

it('makes the same of the same', async () => {
  const scene = footage('hand-held', 20)
  const overlay = subtitles(scene, { shown: 8, gone: 3 })
  const one = await fidelityOf(scene, overlay, makeInpainter(size))
  const other = await fidelityOf(scene, overlay, makeInpainter(size))
  expect(bytesOf(one)).toEqual(bytesOf(other))
})

it('gives back every frame, in order, also of footage without patches', async () => {
  const scene = footage('static', 5)
  const { frames, changedOutside } = await fidelityOf(
    scene,
    { patchesAt: () => [], draw: () => {} },
    makeInpainter(size),
  )
  expect(frames).toHaveLength(5)
  expect(changedOutside).toBe(0)
})

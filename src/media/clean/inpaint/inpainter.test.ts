import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Fidelity, measureFidelity } from '../../../../test/footage/fidelity.ts'
import { logo, movingText, subtitles } from '../../../../test/footage/overlay.ts'
import { plainBlur } from '../../../../test/footage/plain-blur.ts'
import { createScene, type Scene, type ShotName } from '../../../../test/footage/scene.ts'
import { sampleCases } from '../../../../test/soak-size.ts'
import type { Frame, FrameTreatment } from '../frame.ts'
import { createInpainter } from './inpainter.ts'

const film = { width: 256, height: 144, fps: 25 }
const lines = { visibleFrames: 14, hiddenFrames: 4 }

function footage(shot: ShotName, count = 21) {
  return createScene(shot, { ...film, count })
}

/** A larger picture, for content that hardly any frame shows. */
const largeFilm = { width: 320, height: 180, fps: 25 }

/** Returns hashes of all frames. */
function bytesOf({ frames }: Fidelity): string[] {
  return frames.map(({ bytes }) => createHash('sha1').update(bytes).digest('hex'))
}

describe('background that other frames show is warped', () => {
  // With camera noise of 1.2 levels, warped content cannot exceed about 44 dB.
  const shots = [
    ['static', 41],
    ['slow pan', 41],
    ['fast pan', 41],
    ['diagonal pan', 41],
    ['zoom', 41],
    ['hand-held', 40],
    ['cut', 40],
    ['fade', 38],
  ] as const

  it.each(sampleCases(shots, 3))('under subtitles, %s: at least %d dB', async (shot, least) => {
    // Each shot must show the content behind the lines once.
    const size = shot === 'fade' ? largeFilm : film
    const scene = createScene(shot, { ...size, count: shot === 'cut' ? 36 : 21 })
    const ours = await measureFidelity(scene, subtitles(scene, lines), createInpainter(size))
    expect(ours.psnr).toBeGreaterThan(least)
    expect(ours.changedOutside).toBe(0)
  })

  it('without traces of overlays that fade in and out', async () => {
    const scene = footage('static', 36)
    const fading = subtitles(scene, { visibleFrames: 14, hiddenFrames: 20, fadeOpacities: [0.08, 0.04] })
    const ours = await measureFidelity(scene, fading, createInpainter(film))
    expect(ours.psnr).toBeGreaterThan(40)
  })

  it('behind a passing object: at least 28 dB, and 6 dB above plain blur', async () => {
    const scene = footage('walker', 36)
    const ours = await measureFidelity(scene, subtitles(scene, lines), createInpainter(film))
    const blurred = await measureFidelity(scene, subtitles(scene, lines), plainBlur)
    expect(ours.psnr).toBeGreaterThan(28)
    expect(ours.psnr).toBeGreaterThan(blurred.psnr + 6)
  })

  const pans = [
    ['diagonal pan', 32],
    ['fast pan', 40],
  ] as const

  it.each(sampleCases(pans, 1))(
    'under a logo that is always there, %s: at least %d dB',
    async (shot, least) => {
      const scene = footage(shot, 24)
      const ours = await measureFidelity(scene, logo(scene), createInpainter(film))
      expect(ours.psnr).toBeGreaterThan(least)
      expect(ours.changedOutside).toBe(0)
    },
  )

  it('under moving text', async () => {
    const scene = footage('static', 30)
    const ours = await measureFidelity(scene, movingText(scene, { speed: 6 }), createInpainter(film))
    expect(ours.psnr).toBeGreaterThan(38)
  })

  it('onto a thin line in a square picture', async () => {
    const scene = createScene('static', { width: 720, height: 720, count: 5 })
    const overlay = subtitles(scene, {
      visibleFrames: 3,
      hiddenFrames: 2,
      box: { x: 0.1, y: 0.8, w: 0.4, h: 0.03 },
    })
    const ours = await measureFidelity(scene, overlay, createInpainter({ ...scene, fps: 25 }))
    expect(ours.psnr).toBeGreaterThan(38)
  })

  it.each([10, 120])('over the same time at %d frames per second', async (fps) => {
    const size = { width: 128, height: 72 }
    // A line shown from the start for one second, over static content.
    const scene = createScene('static', { ...size, count: Math.max(32, Math.round(1.2 * fps)) })
    const box = { x: 0.2, y: 0.3, w: 0.6, h: 0.4 }
    const overlay = subtitles(scene, { visibleFrames: fps, hiddenFrames: 4 * fps, box })
    let [taken, given] = [0, 0]
    const { worst } = await measureFidelity(scene, overlay, async function* (frames, where) {
      async function* counted() {
        for await (const frame of frames) {
          taken += 1
          yield frame
        }
      }
      for await (const frame of createInpainter({ ...size, fps })(counted(), where)) {
        // The look-ahead is limited to two seconds.
        given += 1
        expect(taken - given).toBeLessThanOrEqual(2 * fps)
        yield frame
      }
    })
    expect(worst).toBeGreaterThan(40)
  })
})

/** A single image of waves, of any size. */
function waves(width: number, height: number): Scene {
  const frameAt = (): Frame => {
    const bytes = new Uint8Array((width * height * 3) / 2).fill(128)
    const along = Float32Array.from({ length: width }, (_, x) => 30 * Math.sin(x / 37))
    for (let y = 0; y < height; y += 1) {
      const down = 120 + 40 * Math.sin(y / 23)
      for (let x = 0; x < width; x += 1) bytes[y * width + x] = down + (along[x] ?? 0)
    }
    return { width, height, bytes }
  }
  return { width, height, count: 1, frameAt }
}

describe('what no frame shows', () => {
  const cameras = [
    ['hand-held', 9],
    ['static', 3],
  ] as const

  it.each(sampleCases(cameras, 1))(
    'is made up once and holds still, %s: changes of its error below %d levels',
    async (shot, most) => {
      const scene = footage(shot, 24)
      const ours = await measureFidelity(scene, logo(scene), createInpainter(film))
      expect(ours.psnr).toBeGreaterThan(20)
      expect(ours.flicker).toBeLessThan(most)
      expect(ours.changedOutside).toBe(0)
    },
  )

  it('is stable even where it differs from its surroundings', async () => {
    const scene = createScene('static', { width: 256, height: 144, count: 12 })
    const { frames } = await measureFidelity(
      scene,
      logo(scene),
      createInpainter(
        { ...scene, fps: 12 },
        {
          fill: ({ pixels, hole }) => {
            for (const [at, is] of hole.entries()) if (is === 1) pixels.set([213, 128, 128], at * 3)
            return Promise.resolve()
          },
        },
      ),
    )
    const [patch] = logo(scene).patchesAt(0)
    const middle = ((patch?.y ?? 0) + 8) * scene.width + (patch?.x ?? 0) + 20
    for (const { bytes } of frames) expect(Math.abs((bytes[middle] ?? 0) - 213)).toBeLessThan(20)
  })

  it('is synthesized for a small patch in a large picture', async () => {
    const scene = waves(2560, 1440)
    const overlay = logo(scene, { box: { x: 0.4, y: 0.4, w: 0.1, h: 0.028 } })
    const ours = await measureFidelity(scene, overlay, createInpainter({ ...scene, fps: 25 }))
    expect(ours.worst).toBeGreaterThan(18)
  })

  it('does not depend on the hidden content, and is deterministic', async () => {
    const scene = footage('diagonal pan', 8)
    const dark = { ...logo(scene), draw: (frame: Frame) => logo(scene, { strength: 0.3 }).draw(frame, 0) }
    const one = await measureFidelity(scene, logo(scene), createInpainter(film))
    const other = await measureFidelity(scene, dark, createInpainter(film))
    expect(bytesOf(one)).toEqual(bytesOf(other))
  })
})

it.each([
  ['is unchanged where nothing is treated at the bound', 16, 0],
  ['is filled where the bound is', 10, 10],
] as const)('what comes before the frames that are asked for %s', async (_, wanted, filled) => {
  const scene = createScene('static', { width: 160, height: 96, count: 20 })
  const overlay = subtitles(scene, lines)
  const { frames } = await measureFidelity(scene, overlay, (given, where) =>
    createInpainter({ ...scene, fps: 25 })(given, { ...where, firstNeeded: wanted }),
  )
  const changed = frames.slice(0, wanted).filter(({ bytes }, index) => {
    const dirty = scene.frameAt(index)
    overlay.draw(dirty, index)
    return Buffer.compare(bytes, dirty.bytes) !== 0
  })
  expect(changed).toHaveLength(filled)
})

it('yields every frame in order, even without patches', async () => {
  const scene = createScene('static', { width: 160, height: 96, count: 5 })
  const { frames, changedOutside } = await measureFidelity(
    scene,
    { patchesAt: () => [], draw: () => {} },
    createInpainter({ ...scene, fps: 25 }),
  )
  expect(frames).toHaveLength(5)
  expect(changedOutside).toBe(0)
})

const crossfadeFilm = { width: 192, height: 108, fps: 25 }
/** Boundary between two parts, and frames of the overlap. */
const [bound, around] = [45, 40]
const scene = createScene('static', { ...crossfadeFilm, count: bound + around })
const overlay = logo(scene, { box: { x: 0.6, y: 0.1, w: 0.3, h: 0.22 } })
const dirty = Array.from({ length: scene.count }, (_, index) => {
  const frame = scene.frameAt(index)
  overlay.draw(frame, index)
  return frame
})

/** Processes frames `first` to `end` as a part. */
async function part(
  [first, end]: readonly [number, number],
  overlap?: Parameters<FrameTreatment>[1]['overlap'],
): Promise<Map<number, Frame>> {
  async function* given(): AsyncGenerator<Frame> {
    for (const frame of dirty.slice(first, end)) {
      yield await Promise.resolve({ ...frame, bytes: frame.bytes.slice() })
    }
  }
  const frames = new Map<number, Frame>()
  const { patchesAt } = overlay
  let index = first
  for await (const frame of createInpainter(crossfadeFilm)(given(), { first, patchesAt, overlap })) {
    frames.set(index, { ...frame, bytes: frame.bytes.slice() })
    index += 1
  }
  return frames
}

/** Mean absolute luma difference of filled pixels between two frames, in levels. */
function apart(one: Frame | undefined, other: Frame | undefined): number {
  const [patch] = overlay.patchesAt(0)
  if (!one || !other || !patch) throw new RangeError('two filled frames')
  let sum = 0
  for (let at = 0; at < patch.mask.length; at += 1) {
    const place = (patch.y + Math.floor(at / patch.width)) * one.width + patch.x + (at % patch.width)
    sum += Math.abs((one.bytes[place] ?? 0) - (other.bytes[place] ?? 0))
  }
  return sum / patch.mask.length
}

describe('content synthesized by two parts', () => {
  it('crossfades at the boundary, where it would jump otherwise', async () => {
    const overlap = { from: bound - around, to: bound }
    const [alone, crossfaded, next] = [
      await part([0, bound + around]),
      await part([0, bound + around], overlap),
      await part([bound - around, bound + around]),
    ]
    const first = next.get(bound)
    const inside = Array.from({ length: around - 1 }, (_, step) => {
      const index = bound - around + step
      return apart(crossfaded.get(index), crossfaded.get(index + 1))
    })
    expect(apart(alone.get(bound - 1), first)).toBeGreaterThan(1)
    expect(apart(crossfaded.get(bound - 1), first)).toBeLessThan(0.4)
    expect(inside.reduce((sum, one) => sum + one, 0) / inside.length).toBeLessThan(0.4)
    // Both parts see the same content, so they fill the same.
    expect(apart(crossfaded.get(bound - 1), next.get(bound - 1))).toBe(0)
    expect(apart(crossfaded.get(bound), alone.get(bound))).toBe(0)
  })
})

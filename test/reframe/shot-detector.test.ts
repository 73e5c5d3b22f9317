import { describe, expect, it } from 'vitest'
import { ShotDetector, type ShotChange } from '../../src/media/reframe/shot-detector.ts'
import { createThumbnail } from '../../src/media/reframe/thumbnail.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { editedFootage, type Shot, trueChanges } from './edited-footage.ts'

function changesOf(shots: readonly Shot[], perSecond = 25): ShotChange[] {
  const detector = new ShotDetector(perSecond)
  for (const frame of editedFootage(shots)) detector.add(createThumbnail(frame))
  detector.end()
  return detector.changes()
}

const still = (seed: number, frames: number, more: Partial<Shot> = {}): Shot => ({ seed, frames, ...more })

/** A hand-held camera. */
const shaky = (frame: number) => ({ x: 300 + 6 * Math.sin(frame / 6), y: 160 + 4 * Math.sin(frame / 7 + 2) })
/** A camera that turns: pixels of 256 per frame. */
const pan = (speed: number) => (frame: number) => ({ x: 60 + speed * frame, y: 160 })

describe('hard cuts', () => {
  const shotsOfKinds: readonly (readonly [string, Partial<Shot>])[] = [
    ['between still shots', {}],
    ['between dark shots', { light: () => 0.08 }],
    ['between very dark shots', { light: () => 0.04 }],
    ['between hand-held shots', { camera: shaky }],
    ['between slow pans', { camera: pan(1) }],
    ['between fast pans', { camera: pan(5) }],
    ['between zooms', { camera: (frame: number) => ({ x: 300, y: 160, zoom: 1 - 0.004 * frame }) }],
  ]
  it.each(sampleCases(shotsOfKinds, 3))('%s are found at their frames', (_, more) => {
    const shots = soakSize([37, 30, 16, 35], [37, 50, 23, 16, 61, 44]).map((frames, index) =>
      still(index + 1, frames, more),
    )
    expect(changesOf(shots)).toEqual(trueChanges(shots))
  })

  it('beside a flash are found', () => {
    const light = (frame: number) => (frame === 20 || frame === 21 ? 2.5 : 1)
    const shots = [still(1, 28, { light }), still(2, 40, { light })]
    expect(changesOf(shots)).toEqual(trueChanges(shots))
  })
})

describe('no change of shot is', () => {
  const flash = (from: number, length: number) => (frame: number) =>
    frame >= from && frame < from + length ? 2.5 : 1
  it.each([
    ...sampleCases([0.2, 0.5, 1, 2, 3.5, 6]).map(
      (speed) => [`a pan of ${speed} px`, { camera: pan(speed) }] as const,
    ),
    [
      'a pan that starts and ends',
      { camera: (frame) => ({ x: 60 + 6 * Math.min(25, Math.max(0, frame - 40)), y: 160 }) },
    ],
    ['a whip pan', { camera: (frame) => ({ x: 60 + 60 * Math.min(6, Math.max(0, frame - 40)), y: 160 }) }],
    ['a zoom', { camera: (frame) => ({ x: 300, y: 160, zoom: 1.2 - 0.005 * frame }) }],
    ['a slow zoom', { camera: (frame) => ({ x: 300, y: 160, zoom: 1.1 - 0.001 * frame }) }],
    ['a hand-held camera', { camera: shaky }],
    ['a jerk of the camera', { camera: (frame) => ({ x: frame < 50 ? 300 : 340, y: 160 }) }],
    ['a stuttering pan', { camera: (frame) => ({ x: 60 + 12 * Math.floor(frame / 3), y: 160 }) }],
    ['a flash of one frame', { light: flash(50, 1) }],
    ['a flash of four frames', { light: flash(50, 4) }],
    ['a flash during a pan', { light: flash(50, 2), camera: pan(2) }],
    ['repeated flashes', { light: (frame) => (frame % 7 < 2 ? 2 : 1) }],
    ['a lamp that is switched on', { light: (frame) => (frame < 50 ? 0.5 : 1) }],
    ['slowly changing light', { light: (frame) => 1 + 0.4 * Math.sin(frame / 12) }],
    ['noise in the dark', { light: () => 0.02 }],
  ] satisfies (readonly [string, Partial<Shot>])[])('%s', (_, more) => {
    expect(changesOf([still(3, soakSize(75, 100), more)])).toEqual([])
  })
})

describe('dissolves', () => {
  const lengths = sampleCases([16, 8, 12, 25, 32], 1)
  const dissolvedShots: readonly (readonly [string, Partial<Shot>])[] = [
    ['still shots', {}],
    ['dark shots', { light: () => 0.1 }],
    ['hand-held shots', { camera: shaky }],
    ['slow pans', { camera: pan(0.5) }],
  ]
  it.each(sampleCases(dissolvedShots))(
    'between %s are found near their middles',
    (_, more: Partial<Shot>) => {
      for (const dissolve of lengths) {
        const shots = [
          still(1, 60, more),
          still(2, 70, { ...more, dissolve }),
          still(4, 60, { ...more, dissolve }),
        ]
        const found = changesOf(shots)
        expect(found, `${dissolve} frames`).toHaveLength(2)
        for (const [index, { frame, mixed }] of trueChanges(shots).entries()) {
          expect(Math.abs((found[index]?.frame ?? 0) - frame), `${dissolve} frames`).toBeLessThanOrEqual(
            dissolve / 6,
          )
          const length = found[index]?.mixed ?? 0
          expect(length, `${dissolve} frames`).toBeLessThanOrEqual(1.5 * mixed)
          // While the pictures move, only a part of the mixture may be found.
          if (!more.camera) expect(length, `${dissolve} frames`).toBeGreaterThanOrEqual(mixed / 2)
        }
      }
    },
  )

  it('that end with a large step into a flat picture are no cuts', () => {
    const [from, to] = [1, 2].map((seed) => {
      const [frame] = [...editedFootage([still(seed, 1)])]
      if (!frame) throw new Error('no frame')
      return createThumbnail(frame)
    })
    if (!from || !to) throw new Error('no pictures')
    const flat = to.values.map((value) => 100 + 0.2 * (value - 100))
    const shares = [0.11, 0.22, 0.33, 0.44, 0.55, 0.66, 0.77, 1]
    const detector = new ShotDetector(25)
    for (let frame = 0; frame < 120; frame += 1) {
      const share = frame < 60 ? 0 : (shares[frame - 60] ?? 1)
      const values = from.values.map((value, at) => value + share * ((flat[at] ?? 0) - value))
      detector.add({ ...from, values })
    }
    detector.end()
    expect(detector.changes()).toHaveLength(1)
    expect(Math.abs((detector.changes()[0]?.frame ?? 0) - 64)).toBeLessThanOrEqual(1)
  })

  it('of one second at 60 frames per second are found', () => {
    // More frames before and after the dissolve than the longest window, of 80.
    const shots = [still(1, 115), still(2, 115, { dissolve: 60 })]
    const [found, ...more] = changesOf(shots, 60)
    expect(more).toEqual([])
    expect(Math.abs((found?.frame ?? 0) - 115)).toBeLessThanOrEqual(10)
  })

  it('through black are two changes at the black frames', () => {
    // Darker until frame 60, black until 72, brighter until 92.
    const shots = [
      still(1, 66, { light: (frame) => Math.min(1, Math.max(0, (60 - frame) / 20)) }),
      still(2, 66, { light: (frame) => Math.min(1, Math.max(0, (frame - 6) / 20)) }),
    ]
    const changes = changesOf(shots)
    expect(changes.length).toBeGreaterThanOrEqual(1)
    for (const { frame } of changes) {
      expect(frame).toBeGreaterThanOrEqual(58)
      expect(frame).toBeLessThanOrEqual(75)
    }
  })
})

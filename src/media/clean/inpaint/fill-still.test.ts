import { describe, expect, it } from 'vitest'
import type { Patch } from '../frame.ts'
import { fillStill, type StillImage } from './fill-still.ts'

/** Diagonal stripes with a period of 12 pixels. */
function stripes(width: number, height: number, channels: 3 | 4): StillImage {
  const bytes = new Uint8Array(width * height * channels)
  for (let at = 0; at < width * height; at += 1) {
    const phase = ((at % width) + Math.floor(at / width)) % 12
    const tone = phase < 6 ? 60 : 180
    for (let channel = 0; channel < 3; channel += 1) bytes[at * channels + channel] = tone + 20 * channel
    if (channels === 4) bytes[at * channels + 3] = 77
  }
  return { width, height, channels, bytes }
}

function boxOf(x: number, y: number, width: number, height: number): Patch {
  return { x, y, width, height, mask: new Uint8Array(width * height).fill(1) }
}

function spoil({ width, channels, bytes }: StillImage, { x, y, width: across, height }: Patch): void {
  for (let row = y; row < y + height; row += 1) {
    for (let at = row * width + x; at < row * width + x + across; at += 1) {
      bytes.fill(255, at * channels, at * channels + 3)
    }
  }
}

describe('a still image', () => {
  it.each([3, 4] as const)(
    'of %d channels continues its surroundings, only inside the masks',
    async (channels) => {
      const truth = stripes(200, 150, channels)
      const still = { ...truth, bytes: truth.bytes.slice() }
      const patches = [boxOf(60, 50, 70, 30), boxOf(150, 100, 30, 20)]
      for (const patch of patches) spoil(still, patch)
      await fillStill(still, patches)
      let [wrong, inside, changed] = [0, 0, 0]
      for (let at = 0; at < 200 * 150; at += 1) {
        const [x, y] = [at % 200, Math.floor(at / 200)]
        const isInside = patches.some(
          (patch) => x >= patch.x && x < patch.x + patch.width && y >= patch.y && y < patch.y + patch.height,
        )
        const here = still.bytes.subarray(at * channels, (at + 1) * channels)
        const there = truth.bytes.subarray(at * channels, (at + 1) * channels)
        if (!isInside) {
          if (here.some((value, channel) => value !== there[channel])) changed += 1
        } else {
          inside += 1
          if (Math.abs((here[0] ?? 0) - (there[0] ?? 0)) > 30) wrong += 1
          if (channels === 4 && here[3] !== 77) changed += 1
        }
      }
      expect(changed).toBe(0)
      expect(inside).toBe(70 * 30 + 30 * 20)
      expect(wrong / inside).toBeLessThan(0.05)
    },
  )

  it('continues its lighting and grain', async () => {
    const [width, height] = [220, 160]
    // A gradient whose values occur nowhere else in the image.
    const light = (at: number, channel: number) =>
      50 + ([0.7 * (at % width), 0.9 * Math.floor(at / width)][channel] ?? 0)
    // Non-repeating grain of some levels.
    const grain = (at: number) => 6 * Math.sin(at * 12.9898 + Math.floor(at / width) * 78.233)
    const bytes = Uint8Array.from({ length: width * height * 3 }, (_, of) => {
      const at = Math.floor(of / 3)
      return Math.round(light(at, of % 3) + grain(at))
    })
    const still: StillImage = { width, height, channels: 3, bytes }
    const patch = boxOf(70, 50, 80, 50)
    spoil(still, patch)
    await fillStill(still, [patch])
    let [worst, squares] = [0, 0]
    // Squares of 10 pixels: lighting is their mean, grain the rest.
    for (let square = 0; square < 80; square += 1) {
      const channel = square % 2
      const from = (patch.y + 10 * Math.floor(square / 16)) * width + patch.x + 10 * ((square >> 1) % 8)
      const apart = Array.from({ length: 100 }, (_, index) => {
        const at = from + Math.floor(index / 10) * width + (index % 10)
        return (still.bytes[at * 3 + channel] ?? 0) - light(at, channel)
      })
      const mean = apart.reduce((sum, one) => sum + one, 0) / apart.length
      worst = Math.max(worst, Math.abs(mean))
      squares += apart.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 8000
    }
    expect(worst).toBeLessThan(4)
    expect(Math.sqrt(squares)).toBeGreaterThan(2)
  })

  it('is filled deterministically', async () => {
    const filled = await Promise.all(
      [0, 1].map(async () => {
        const still = stripes(120, 90, 3)
        spoil(still, boxOf(30, 30, 40, 20))
        await fillStill(still, [boxOf(30, 30, 40, 20)])
        return still.bytes
      }),
    )
    expect(filled[0]).toEqual(filled[1])
  })

  it.each([
    ['at its corner', boxOf(0, 0, 40, 30)],
    ['all over', boxOf(0, 0, 80, 60)],
    ['all but a line', boxOf(0, 2, 80, 58)],
  ])('masked %s is filled', async (_, patch) => {
    const still = stripes(80, 60, 3)
    spoil(still, patch)
    await fillStill(still, [patch])
    const corner = still.bytes.subarray((patch.y + 10) * 80 * 3 + 30, (patch.y + 10) * 80 * 3 + 33)
    expect([...corner]).not.toEqual([255, 255, 255])
  })

  it('smaller than the compared windows is filled smoothly', async () => {
    const still = stripes(6, 6, 3)
    spoil(still, boxOf(2, 2, 2, 2))
    await fillStill(still, [boxOf(2, 2, 2, 2)])
    expect(still.bytes[(2 * 6 + 2) * 3]).toBeLessThan(200)
  })
})

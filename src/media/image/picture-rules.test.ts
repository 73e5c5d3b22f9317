import { describe, expect, it, test } from 'vitest'
import { checkDescription, cutAtSentence } from './picture-description.ts'
import { findBars } from './borders.ts'
import { isBlurred } from './sharpness.ts'
import { usableFlags } from './usable-flags.ts'
import type { Luma } from '../text/luma.ts'

/** Numbers from 0 to 1, the same on every run. */
function numbers(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/** A picture of random rectangles on a gradient, with noise of a deviation. */
function shapes(seed: number, { width = 320, height = 240, noise = 0 } = {}): Luma {
  const random = numbers(seed)
  const values = Float32Array.from({ length: width * height }, (_, at) => 90 + (40 * (at % width)) / width)
  for (let shape = 0; shape < 60; shape += 1) {
    const [left, top] = [Math.floor(random() * width), Math.floor(random() * height)]
    const [wide, high] = [10 + Math.floor(random() * 60), 10 + Math.floor(random() * 60)]
    const light = 40 + 180 * random()
    for (let y = top; y < Math.min(height, top + high); y += 1)
      values.fill(light, y * width + left, y * width + Math.min(width, left + wide))
  }
  return { width, height, values: quantized(values, noise, random) }
}

function quantized(values: Float32Array, noise: number, random: () => number): Uint8Array {
  const noisy = values.map((value) =>
    Math.max(0, Math.min(255, Math.round(value + 2 * noise * (random() + random() + random() - 1.5)))),
  )
  return new Uint8Array(noisy)
}

/** Averages runs of samples in one direction or both, twice. */
function softened({ width, height, values }: Luma, across: number, down: number): Luma {
  const soft = values.slice()
  /** Averages a line of samples, given by its first index, its length and its step. Its ends continue beyond it. */
  const average = ([first, count, step]: readonly [number, number, number], radius: number) => {
    const line = Array.from({ length: count }, (_, at) => soft[first + at * step] ?? 0)
    const sample = (at: number) => line[Math.min(count - 1, Math.max(0, at))] ?? 0
    let sum = 0
    for (let at = -radius; at <= radius; at += 1) sum += sample(at)
    for (let at = 0; at < count; at += 1) {
      soft[first + at * step] = Math.round(sum / (2 * radius + 1))
      sum += sample(at + radius + 1) - sample(at - radius)
    }
  }
  for (let pass = 0; pass < 2; pass += 1) {
    for (let y = 0; y < height; y += 1) average([y * width, width, 1], across)
    for (let x = 0; x < width; x += 1) average([x, height, width], down)
  }
  return { width, height, values: soft }
}

/** Covers the sides of a picture with a level. */
function barred(picture: Luma, { top = 0, bottom = 0, left = 0, right = 0, level = 0 }): Luma {
  const { width, height } = picture
  const values = picture.values.map((value, at) => {
    const [x, y] = [at % width, Math.floor(at / width)]
    return y < top || y >= height - bottom || x < left || x >= width - right ? level : value
  })
  return { width, height, values }
}

const none = { top: 0, bottom: 0, left: 0, right: 0 }

describe('bars', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))('are found to the pixel, picture %i', (seed) => {
    const random = numbers(seed + 100)
    const side = () => 8 + Math.floor(80 * random())
    const [across, down] = [side(), side()]
    const picture = shapes(seed, { noise: seed % 4 })
    expect(findBars(picture)).toEqual(none)
    expect(findBars(barred(picture, { top: across, bottom: across }))).toMatchObject({
      top: across,
      bottom: across,
    })
    const pillars = { left: down, right: down, level: 8 }
    expect(findBars(barred(picture, pillars))).toMatchObject({ left: down, right: down })
    expect(findBars(barred(picture, { bottom: across }))).toMatchObject({ top: 0, bottom: across })
  })

  it('are not found in plain, black and dark pictures, nor where one side alone is white', () => {
    const plain = (level: number): Luma => ({
      width: 64,
      height: 48,
      values: new Uint8Array(64 * 48).fill(level),
    })
    for (const level of [0, 5, 128, 255]) expect(findBars(plain(level))).toEqual(none)
    expect(findBars(barred(shapes(1), { top: 60, level: 255 }))).toEqual(none)
    const dark = shapes(2)
    expect(findBars({ ...dark, values: dark.values.map((value) => value / 8) })).toEqual(none)
  })

  it('of two pixels and of a picture of one pixel do not fail', () => {
    expect(findBars({ width: 1, height: 1, values: new Uint8Array(1) })).toEqual(none)
    expect(findBars({ width: 2, height: 2, values: Uint8Array.of(0, 255, 0, 255) })).toEqual(none)
  })
})

describe('blur', () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'of focus and of motion in either direction is found, also with noise, picture %i',
    (seed) => {
      const sharp = shapes(seed, { noise: seed % 4 })
      expect(isBlurred(sharp)).toBe(false)
      expect(isBlurred(softened(sharp, 4, 4))).toBe(true)
      expect(isBlurred(softened(sharp, 8, 0))).toBe(true)
      expect(isBlurred(softened(sharp, 0, 8))).toBe(true)
      const random = numbers(seed)
      const { values, ...size } = softened(sharp, 5, 5)
      expect(isBlurred({ ...size, values: quantized(Float32Array.from(values), 3, random) })).toBe(true)
    },
  )

  it('is not found in plain surfaces, gradients of a sky, and pictures of one pixel', () => {
    const sky = Uint8Array.from({ length: 320 * 240 }, (_, at) => 150 + Math.floor(at / 320) / 6)
    expect(isBlurred({ width: 320, height: 240, values: sky })).toBe(false)
    expect(isBlurred({ width: 320, height: 240, values: new Uint8Array(320 * 240).fill(90) })).toBe(false)
    expect(isBlurred({ width: 1, height: 1, values: new Uint8Array(1) })).toBe(false)
  })

  it('does not count the edges of excluded areas', () => {
    const soft = softened(shapes(3), 6, 6)
    const isLetter = (x: number, y: number) => y < 120 && x % 12 < 6 !== y % 12 < 6
    const values = soft.values.map((value, at) => (isLetter(at % 320, Math.floor(at / 320)) ? 255 : value))
    const lettered = { ...soft, values }
    expect(isBlurred(lettered)).toBe(false)
    expect(isBlurred(lettered, [{ x: 0, y: 0, w: 1, h: 0.5 }])).toBe(true)
  })
})

describe('flags', () => {
  const clean = { hasBorder: false, isBlurred: false, textLines: 0 }
  test('of letters need letters; those of graphics and measured ones do not', () => {
    const flags = { watermark: false, text_overlay: false, black_border: false, blurry: false }
    expect(usableFlags(['subtitle', 'text_mark'], clean)).toEqual(flags)
    expect(usableFlags(['timecode'], { ...clean, textLines: 1 })).toEqual({ ...flags, text_overlay: true })
    expect(usableFlags(['logo', 'interface'], clean)).toEqual({
      ...flags,
      watermark: true,
      text_overlay: true,
    })
    expect(usableFlags([], { hasBorder: true, isBlurred: true, textLines: 9 })).toEqual({
      ...{ ...flags, black_border: true, blurry: true },
    })
  })
})

describe('descriptions', () => {
  test('are cut after the last sentence that fits, for every length', () => {
    const text = '第一句话。第二句话稍微长一点！第三句没有结尾，但是有逗号，还可以继续写下去'
    for (let length = 2; length <= 60; length += 1) {
      const cut = cutAtSentence(text, length)
      expect([...cut].length).toBeLessThanOrEqual(length)
      expect(cut.endsWith('…') || text.startsWith(cut)).toBe(true)
      expect(cut).not.toBe('')
    }
    expect(cutAtSentence(text, 20)).toBe('第一句话。第二句话稍微长一点！')
    expect(cutAtSentence('𠀀'.repeat(9), 5)).toBe(`${'𠀀'.repeat(4)}…`)
  })

  test('report every rule that they break', () => {
    const given = { desc: 'A boat.', tags: ['a', 'a', ''], mark: Number.NaN, added: ['frame'] }
    expect(checkDescription(given)).toEqual({
      problems: [
        expect.stringContaining('desc'),
        expect.stringContaining('tags has 1'),
        expect.stringContaining('mark'),
        expect.stringContaining('added'),
      ],
    })
    const english = { desc: '港口的照片。', tags: ['boat', 'dusk', '港口'], mark: 50, added: [] }
    expect(checkDescription(english)).toEqual({ problems: ['most tags are not in Simplified Chinese'] })
    const usable = { desc: '港口的iPhone照片。', tags: ['#港口', '照片', 'iPhone'], mark: 66.666, added: [] }
    expect(checkDescription(usable)).toEqual({
      description: { desc: '港口的iPhone照片。', tags: ['港口', '照片', 'iPhone'], mark: 66.67, added: [] },
    })
  })
})

import { expect, test } from 'vitest'
import { crossfade } from '../../../src/engines/timeline/crossfade.ts'
import { createRandom } from '../../piano/seeded-random.ts'

const rate = 48_000

/** Stereo noise below 100 Hz, by a low-pass filter of the second order. */
function rumble(seed: number, samples: number): Float32Array {
  const random = createRandom(seed)
  const step = 1 - Math.exp((-2 * Math.PI * 100) / rate)
  const sound = new Float32Array(samples * 2)
  let [first, second] = [0, 0]
  for (let index = -rate / 10; index < samples; index += 1) {
    first += step * (random.gaussian() - first)
    second += step * (first - second)
    if (index >= 0) sound.fill(second, 2 * index, 2 * index + 2)
  }
  return sound
}

/** Returns whether the second sound starts in the middle only. Replaces both. */
function isShort(outgoing: Float32Array, incoming: Float32Array): boolean {
  crossfade(outgoing, incoming)
  return incoming.subarray(0, incoming.length * 0.4).every((value) => value === 0)
}

test('rumble that is opposite for a moment by chance keeps its crossfade of 500 ms', () => {
  const pairs = Array.from({ length: 150 }, (_, index) =>
    isShort(rumble(2 * index + 1, rate / 2), rumble(2 * index + 2, rate / 2)),
  )
  expect(pairs.filter(Boolean).length / pairs.length).toBeLessThan(0.03)
})

test('rumble that is opposite throughout has a short crossfade', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const sound = rumble(seed, rate / 2)
    expect(
      isShort(
        sound,
        sound.map((value) => -0.5 * value),
      ),
    ).toBe(true)
  }
})

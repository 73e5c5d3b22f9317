import { expect, test } from 'vitest'
import { decimateBy4 } from './partial-levels.ts'

const rate = 22_050

/** Level of a decimated sine away from the ends, dB. */
function levelAt(hertz: number): number {
  const sound = Float32Array.from({ length: 8192 }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate))
  const fewer = decimateBy4(sound, new Float32Array(2048)).subarray(64, -64)
  const energy = fewer.reduce((sum, sample) => sum + sample * sample, 0)
  return 10 * Math.log10((2 * energy) / fewer.length)
}

test('passes frequencies up to a twentieth of the rate and removes their aliases', () => {
  for (const hertz of [27.5, 110, 440, 784, 1100]) expect(levelAt(hertz)).toBeCloseTo(0, 1)
  for (const hertz of [4500, 5000, 6300, 8000, 10_900]) expect(levelAt(hertz)).toBeLessThan(-70)
})

test('kept samples are not shifted in time', () => {
  const sound = Float32Array.from({ length: 4096 }, (_, at) => Math.sin((2 * Math.PI * 500 * at) / rate))
  const fewer = decimateBy4(sound, new Float32Array(1024))
  for (let at = 16; at < 1000; at += 1) expect(fewer[at]).toBeCloseTo(sound[4 * at] ?? 0, 3)
})

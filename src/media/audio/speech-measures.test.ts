import { describe, expect, it } from 'vitest'
import { analyzeBackground } from '../speech/background-noise.ts'
import { languageProbabilities } from '../speech/recogniser-languages.ts'
import { whisperBands, whisperFeatures, whisperFrames } from './log-mel.ts'
import { melFilters } from './mel-filters.ts'
import { processOverlapping } from './windows.ts'
import { Stft } from './spectrum.ts'

let state = 7
const noise = (count: number, level: number) =>
  Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 31 - 1) * level
  })

describe("Whisper's features", () => {
  it('use the published mel filters', () => {
    const [first, second] = melFilters(whisperBands(80))
    expect([...(first ?? [])].slice(0, 3)).toEqual([0, expect.closeTo(0.02486259, 7), 0])
    expect([...(second ?? [])].slice(1, 3)).toEqual([
      expect.closeTo(0.00199082, 7),
      expect.closeTo(0.02287177, 7),
    ])
    expect(melFilters(whisperBands(128))).toHaveLength(128)
  })

  it('match a direct computation', () => {
    const sound = noise(40_000, 0.3).map((sample, at) => sample + 0.2 * Math.sin(at / 9))
    const features = whisperFeatures(sound, 80)
    const filters = melFilters(whisperBands(80))
    const highest = Math.max(...Float32Array.from(features).toSorted().slice(-1)) * 4 - 4
    for (const frame of [0, 1, 50, 123]) {
      const energies = Array.from({ length: 201 }, (_, bin) => {
        let [real, imaginary] = [0, 0]
        for (let at = 0; at < 400; at += 1) {
          const sample =
            (sound[Math.abs(frame * 160 - 200 + at)] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / 400))
          real += sample * Math.cos((2 * Math.PI * bin * at) / 400)
          imaginary -= sample * Math.sin((2 * Math.PI * bin * at) / 400)
        }
        return real * real + imaginary * imaginary
      })
      for (const [band, weights] of filters.entries()) {
        const energy = weights.reduce((sum, weight, bin) => sum + weight * (energies[bin] ?? 0), 0)
        const expected = (Math.max(Math.log10(Math.max(energy, 1e-10)), highest - 8) + 4) / 4
        expect(features[band * whisperFrames + frame]).toBeCloseTo(expected, 4)
      }
    }
    // Silence is reported at the lowest level that is measured.
    expect(features[whisperFrames - 1]).toBeCloseTo((highest - 8 + 4) / 4, 4)
  })

  it('rank languages by their tokens', () => {
    const expected = new Float32Array(51_865).fill(-5)
    expected[50_260] = 3
    expected[50_266] = 2
    expected[17] = 99
    const found = languageProbabilities(expected)
    expect(found.slice(0, 2).map(({ language }) => language)).toEqual(['zh', 'ja'])
    expect(found).toHaveLength(99)
    expect(found.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9)
    expect(languageProbabilities(new Float32Array(51_866))).toHaveLength(100)
    expect(languageProbabilities(new Float32Array(51_866)).map(({ language }) => language)).toContain('yue')
  })
})

describe('spectra', () => {
  it('reproduce the sound after a round trip', () => {
    const stft = new Stft(256)
    const sound = noise(stft.lengthOf(20), 0.5)
    const spectra = new Float32Array(20 * 2 * stft.bins)
    stft.forward(sound, spectra)
    const back = stft.inverse(spectra)
    expect(back).toHaveLength(sound.length)
    for (let at = 8; at < sound.length - 8; at += 1) expect(back[at]).toBeCloseTo(sound[at] ?? 0, 4)
  })
})

describe('overlapping windows', () => {
  it.each([0, 1, 9, 10, 11, 19, 20, 100])(
    'of %i samples give as many, which differ nowhere',
    async (count) => {
      const sound = noise(count, 1)
      async function* given() {
        for (let at = 0; at < count; at += 3) yield sound.subarray(at, at + 3)
      }
      const made: number[] = []
      const pieces = processOverlapping(given(), { size: 10, overlap: 4 }, (piece) =>
        Promise.resolve(piece.map((x) => 2 * x)),
      )
      for await (const piece of pieces) {
        for (const [at, sample] of piece.output.entries())
          expect(sample).toBeCloseTo(2 * (piece.input[at] ?? 0), 6)
        made.push(...piece.output)
      }
      expect(made).toHaveLength(count)
      for (const [at, sample] of made.entries()) expect(sample).toBeCloseTo(2 * (sound[at] ?? 0), 6)
    },
  )
})

describe('background of speech', () => {
  const speech = noise(80_000, 0.3)
  const chord = (at: number) =>
    [220, 277.2, 329.6, 440].reduce((sum, hertz) => sum + Math.sin((2 * Math.PI * hertz * at) / 16_000), 0) /
    4
  function heard(behind: (at: number) => number, gapFrames = 30) {
    const begins = gapFrames * 1024
    const sound = speech.map((sample, at) => (at < begins ? 0 : sample) + behind(at))
    return analyzeBackground(sound, [{ start: begins / 16_000, end: 5 }])
  }
  const hiss = noise(80_000, 1)

  it('is classified by its pauses', () => {
    expect(heard(() => 0).kind).toBe('none')
    expect(heard((at) => 0.0001 * (hiss[at] ?? 0)).kind).toBe('none')
    expect(heard((at) => 0.02 * (hiss[at] ?? 0))).toMatchObject({
      kind: 'noise',
      gaps: expect.closeTo(-38.7, 0) as number,
    })
    expect(heard((at) => 0.03 * chord(at)).kind).toBe('music')
    expect(heard((at) => 0.03 * chord(at) + 0.003 * (hiss[at] ?? 0)).kind).toBe('music')
  })

  it('is unknown without pauses', () => {
    expect(heard((at) => 0.03 * chord(at), 3).kind).toBe('unknown')
  })
})

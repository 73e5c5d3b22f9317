import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SpeechAssembler } from './speech-assembler.ts'

const rate = 24_000

/** A tone between silences, seconds. */
function tone(before: number, length: number, after: number): Float32Array {
  const samples = new Float32Array(Math.round((before + length + after) * rate))
  const [from, to] = [Math.round(before * rate), Math.round((before + length) * rate)]
  for (let at = from; at < to; at += 1) samples[at] = 0.3 * Math.sin(at / 10)
  return samples
}

test('trims silence around sentences and inserts equal pauses', () => {
  const length = fc.double({ min: 0, max: 1.5, noNaN: true })
  const sentence = fc.tuple(length, fc.double({ min: 0.2, max: 3, noNaN: true }), length)
  fc.assert(
    fc.property(
      fc.array(sentence, { minLength: 1, maxLength: 6 }),
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      (sentences, pause) => {
        const assembly = new SpeechAssembler({ rate, pause })
        let samples = 0
        for (const [index, [before, spoken, after]] of sentences.entries()) {
          samples += assembly.add(String(index), tone(before, spoken, after)).length
        }
        expect(assembly.seconds).toBeCloseTo(samples / rate, 9)
        for (const [index, { start, end }] of assembly.placed.entries()) {
          // 30 ms before and after, 10 ms of a window.
          expect(Math.abs(end - start - (sentences[index]?.[1] ?? 0) - 0.06)).toBeLessThan(0.085)
          expect(start - (assembly.placed[index - 1]?.end ?? start - (index === 0 ? 0 : pause))).toBeCloseTo(
            index === 0 ? 0 : pause,
            3,
          )
        }
        expect(assembly.placed.at(-1)?.end).toBe(assembly.seconds)
      },
    ),
    { numRuns: 60 },
  )
})

test('fades sentences at both ends, and drops silence', () => {
  const assembly = new SpeechAssembler({ rate, pause: 0.1 })
  const piece = assembly.add('loud', new Float32Array(rate).fill(0.5))
  expect(Math.abs(piece[0] ?? 1)).toBeLessThan(0.01)
  expect(Math.abs(piece.at(-1) ?? 1)).toBeLessThan(0.01)
  expect(piece[rate / 2]).toBeCloseTo(0.5)
  expect(assembly.add('silent', new Float32Array(rate))).toHaveLength(0.1 * rate)
})

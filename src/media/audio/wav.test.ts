import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeWav, InvalidWavError, encodeWav } from './wav.ts'

const sounds = fc.record({
  rate: fc.integer({ min: 8000, max: 192_000 }),
  samples: fc
    .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1 })
    .map((all) => Float32Array.from(all)),
})

/** Builds a WAV file from format fields and data. */
function built(
  format: { kind: number; channels: number; bits: number },
  data: Buffer,
  size = data.length,
): Buffer {
  const wav = Buffer.concat([encodeWav({ rate: 8000, samples: new Float32Array(0) }), data])
  wav.writeUInt16LE(format.kind, 20)
  wav.writeUInt16LE(format.channels, 22)
  wav.writeUInt16LE(format.bits, 34)
  wav.writeUInt32LE(size, 40)
  return wav
}

describe('a WAV file', () => {
  it('survives a round trip within one step of 16 bits', () => {
    fc.assert(
      fc.property(sounds, (sound) => {
        const { rate, samples } = decodeWav(encodeWav(sound))
        expect([rate, samples.length]).toEqual([sound.rate, sound.samples.length])
        for (const [at, sample] of samples.entries()) {
          expect(Math.abs(sample - (sound.samples[at] ?? 0))).toBeLessThanOrEqual(1 / 32_768)
        }
      }),
    )
  })

  it.each([
    ['8 bits', { kind: 1, channels: 1, bits: 8 }, [0, 128, 255], [-1, 0, 127 / 128]],
    ['24 bits', { kind: 1, channels: 1, bits: 24 }, [0, 0, 0x40, 0, 0, 0xc0], [0.5, -0.5]],
    ['32 bits', { kind: 1, channels: 1, bits: 32 }, [0, 0, 0, 0x40], [0.5]],
    ['floats', { kind: 3, channels: 1, bits: 32 }, [0, 0, 0x80, 0x3e], [0.25]],
    ['two channels', { kind: 1, channels: 2, bits: 16 }, [0, 0x40, 0, 0x20], [0.375]],
  ])('may hold %s', (_, format, data, samples) => {
    expect([...decodeWav(built(format, Buffer.from(data))).samples]).toEqual(samples)
  })

  it.each([0, 0xffffffff, 0x7fffffff])('may have a placeholder size: %i', (size) => {
    expect(
      decodeWav(built({ kind: 1, channels: 1, bits: 16 }, Buffer.from([0, 0x40]), size)).samples,
    ).toHaveLength(1)
  })

  it.each([
    ['another kind', { kind: 85, channels: 1, bits: 16 }],
    ['no channels', { kind: 1, channels: 0, bits: 16 }],
    ['too many channels', { kind: 1, channels: 60_000, bits: 16 }],
    ['no bits', { kind: 1, channels: 1, bits: 0 }],
  ])('is refused with %s', (_, format) => {
    expect(() => decodeWav(built(format, Buffer.alloc(100)))).toThrow(InvalidWavError)
  })

  it('is decoded or rejected for any content', () => {
    const begun = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 200 }))
    fc.assert(
      fc.property(begun, fc.nat(60), ([changes, rest], at) => {
        const wav = Buffer.concat([encodeWav({ rate: 16_000, samples: new Float32Array(20) }), rest])
        wav.set(changes.subarray(0, Math.max(0, wav.length - at)), at)
        try {
          expect(decodeWav(wav).samples.length).toBeLessThanOrEqual(wav.length)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidWavError)
        }
      }),
    )
  })
})

import type { MonoAudio } from '../speech/speech-types.ts'

const headerBytes = 44

/** Encodes mono sound as a 16-bit WAV file. */
export function encodeWav({ samples, rate }: MonoAudio): Buffer<ArrayBuffer> {
  const wav = Buffer.alloc(headerBytes + samples.length * 2)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(pcm, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(rate, 24)
  wav.writeUInt32LE(rate * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples.length * 2, 40)
  for (let at = 0; at < samples.length; at += 1) {
    const level = Math.round((samples[at] ?? 0) * 32_768)
    wav.writeInt16LE(Math.max(-32_768, Math.min(32_767, level)), headerBytes + at * 2)
  }
  return wav
}

/** Reason why bytes cannot be decoded as a WAV file, as a predicate: "is cut off". */
export class InvalidWavError extends Error {}

/** Format tags (RIFF registry); the extensible header stores the actual tag further behind. */
const [pcm, float, extensible] = [1, 3, 0xfffe]

/** Placeholder sizes written by encoders that stream to a pipe. */
const unknownSizes = new Set([0, 0x7fffffff, 0x7fffffff - 36, 0xffffffff, 0xffffffff - 36, 0xffffffff - 44])

interface WavFormat {
  readonly kind: number
  readonly channels: number
  readonly rate: number
  readonly bits: number
}

/** Decodes a WAV file (PCM or float) to mono by averaging the channels. Throws InvalidWavError. */
export function decodeWav(bytes: Buffer): MonoAudio {
  if (
    bytes.length < 12 ||
    bytes.toString('latin1', 0, 4) !== 'RIFF' ||
    bytes.toString('latin1', 8, 12) !== 'WAVE'
  ) {
    throw new InvalidWavError('is not a WAV file')
  }
  let format: WavFormat | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const content = bytes.subarray(at + 8, at + 8 + size)
    if (name === 'fmt ') format = parseWavFormat(content)
    if (name === 'data') {
      if (!format) throw new InvalidWavError('has samples before the format chunk')
      if (content.length < size && !unknownSizes.has(size)) throw new InvalidWavError('is cut off')
      return {
        rate: format.rate,
        samples: parseWavSamples(unknownSizes.has(size) ? bytes.subarray(at + 8) : content, format),
      }
    }
    // Chunks start at even offsets.
    at += 8 + size + (size % 2)
  }
  throw new InvalidWavError('has no samples')
}

function parseWavFormat(content: Buffer): WavFormat {
  if (content.length < 16) throw new InvalidWavError('has a broken header')
  const tag = content.readUInt16LE(0)
  const kind = tag === extensible && content.length >= 26 ? content.readUInt16LE(24) : tag
  const format = {
    kind,
    channels: content.readUInt16LE(2),
    rate: content.readUInt32LE(4),
    bits: content.readUInt16LE(14),
  }
  const { channels, rate, bits } = format
  const isRead = kind === pcm ? [8, 16, 24, 32].includes(bits) : kind === float && bits === 32
  if (!isRead) throw new InvalidWavError(`has the unsupported sample format ${kind} with ${bits} bits`)
  if (channels < 1 || channels > 8) throw new InvalidWavError(`has ${channels} channels`)
  if (rate < 8000 || rate > 192_000) throw new InvalidWavError(`has a sample rate of ${rate} Hz`)
  return format
}

function parseWavSamples(data: Buffer, format: WavFormat): Float32Array {
  const { channels, bits } = format
  const width = bits / 8
  const read = sampleReader(data, format)
  const samples = new Float32Array(Math.floor(data.length / (width * channels)))
  for (let at = 0; at < samples.length; at += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1) sum += read((at * channels + channel) * width)
    samples[at] = sum / channels
  }
  if (!samples.every(Number.isFinite)) throw new InvalidWavError('contains NaN or infinite samples')
  return samples
}

/** Returns a function that reads the sample at an offset, -1 to 1. */
function sampleReader(data: Buffer, { kind, bits }: WavFormat): (offset: number) => number {
  if (kind === float) return (offset) => data.readFloatLE(offset)
  // 8-bit samples, and only these, are unsigned.
  if (bits === 8) return (offset) => (data.readUInt8(offset) - 128) / 128
  // The most frequent; `readIntLE` takes several times as long.
  if (bits === 16) return (offset) => data.readInt16LE(offset) / 2 ** 15
  return (offset) => data.readIntLE(offset, bits / 8) / 2 ** (bits - 1)
}

import { writeFile } from 'node:fs/promises'

/** Writes samples of one channel as a WAV of 32-bit floats. No sample is rounded. */
export async function writeFloatWav(path: string, samples: Float32Array, rate: number): Promise<string> {
  return await writeInterleavedWav(path, samples, { rate, channels: 1 })
}

/** Writes a sound of equal channels, 44.1 kHz, as a WAV of 32-bit floats. `level`: maps a time in seconds to a sample. */
export async function writeSampledWav(
  path: string,
  { seconds, channels = 1 }: { readonly seconds: number; readonly channels?: number },
  level: (time: number) => number,
): Promise<string> {
  const rate = 44_100
  const samples = new Float32Array(channels * Math.round(seconds * rate))
  for (let index = 0; index < samples.length / channels; index += 1)
    samples.fill(level(index / rate), channels * index, channels * (index + 1))
  return await writeInterleavedWav(path, samples, { rate, channels })
}

/** Writes interleaved samples as a WAV of 32-bit floats. No sample is rounded. */
export async function writeInterleavedWav(
  path: string,
  samples: Float32Array,
  { rate, channels }: { readonly rate: number; readonly channels: number },
): Promise<string> {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + bytes.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(3, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(4 * channels * rate, 28)
  header.writeUInt16LE(4 * channels, 32)
  header.writeUInt16LE(32, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes.length, 40)
  await writeFile(path, Buffer.concat([header, bytes]))
  return path
}

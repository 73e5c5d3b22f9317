import { runRaw } from '../../src/engines/ffmpeg/run.ts'

/** What players and people are told of the file. */
const mark = 'AI-generated speech in the voice of a recording (Reelwright)'

interface Wish {
  readonly path: string
  readonly rate: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Codecs by the end of the name; MP3 of one channel is transparent for speech at this rate. */
const codecs = { wav: ['-c:a', 'pcm_s16le'], mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'] } as const
export type Format = keyof typeof codecs

/** Writes sound of one channel as it comes, marked as AI-generated. */
export async function writeSpeech(
  pieces: AsyncIterable<Float32Array>,
  { path, rate, format, signal, timeoutMs }: Wish & { readonly format: Format },
): Promise<void> {
  await runRaw({
    input: bytesOf(pieces),
    args: [
      ...['-protocol_whitelist', 'pipe', '-f', 'f32le', '-ar', String(rate), '-ac', '1', '-i', 'pipe:0'],
      ...['-metadata', `comment=${mark}`, ...codecs[format], path],
    ],
    signal,
    timeoutMs,
  })
}

async function* bytesOf(pieces: AsyncIterable<Float32Array>): AsyncGenerator<Uint8Array> {
  for await (const { buffer, byteOffset, byteLength } of pieces)
    yield new Uint8Array(buffer, byteOffset, byteLength)
}

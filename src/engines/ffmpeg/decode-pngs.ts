import { runRaw } from './run.ts'

interface DecodePngsOptions {
  /** To scale to. */
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal
}

const pngTimeoutMs = 60_000

/** Four-byte pixels (red, green, blue, alpha) of PNG pictures of one size, with alpha or without, scaled. */
export async function decodePngs(
  pngs: readonly Uint8Array[],
  { width, height, signal }: DecodePngsOptions,
): Promise<Uint8Array[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      // Filters that began anew, where one picture has alpha and the next none, might lose what they hold.
      ...['-reinit_filter', '0', '-f', 'image2pipe', '-c:v', 'png', '-i', 'pipe:0'],
      ...['-vf', `scale=${width}:${height}:flags=bicubic,format=rgba`, '-f', 'rawvideo', 'pipe:1'],
    ],
    input: Buffer.concat(pngs),
    timeoutMs: pngTimeoutMs,
    signal,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  const bytes = Buffer.concat(chunks)
  const frameBytes = width * height * 4
  if (bytes.length !== pngs.length * frameBytes) {
    throw new Error(`ffmpeg answered ${bytes.length} bytes for ${pngs.length} pictures of ${frameBytes}`)
  }
  return pngs.map((_, index) => bytes.subarray(index * frameBytes, (index + 1) * frameBytes))
}

import { runRaw } from './run.ts'

interface DecodePngsOptions {
  /** Target size, pixels. */
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal
}

const pngTimeoutMs = 60_000

/**
 * Decodes PNG pictures of equal size, with or without alpha, and scales them. Returns one RGBA array per
 * picture: 4 bytes per pixel, 0 to 255, row by row. Throws if ffmpeg returns a different number of bytes.
 */
export async function decodePngs(
  pngs: readonly Uint8Array[],
  { width, height, signal }: DecodePngsOptions,
): Promise<Uint8Array[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      // Filters reinitialized between a picture with alpha and one without could lose buffered frames.
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

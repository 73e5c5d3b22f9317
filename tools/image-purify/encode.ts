import { open, readFile, writeFile } from 'node:fs/promises'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { StillImage } from '../../src/media/clean/inpaint/fill-still.ts'
import { profileHeadBytes, findProfile, copyProfile } from '../../src/media/image/icc-profile.ts'
import type { ImageFormat } from './image-format.ts'

const encodeMs = 120_000

/** Encodes RGBA pixels as an image, without metadata of the source. */
export async function encodeStill(
  path: string,
  { still, format, signal }: { still: StillImage; format: ImageFormat; signal: AbortSignal },
): Promise<void> {
  await runRaw({
    input: still.bytes,
    args: [
      ...['-protocol_whitelist', 'pipe', '-f', 'rawvideo', '-pix_fmt', 'rgba'],
      ...['-video_size', `${still.width}x${still.height}`, '-i', 'pipe:0', '-frames:v', '1'],
      ...['-c:v', format.encoder, ...format.args, '-update', '1', '-f', 'image2', path],
    ],
    timeoutMs: encodeMs,
    signal,
  })
}

/** Copies the colour profile of the source into the result. Returns a sentence if there is one that cannot be kept. */
export async function copyColourProfile(path: string, source: string): Promise<string | undefined> {
  const head = await readHead(source)
  const profile = findProfile(head)
  if (!profile) return undefined
  if (!profile.isRgb) return 'the colour profile was omitted: it is not an RGB profile'
  const pieces = copyProfile(await readFile(path), head)
  if (!pieces)
    return 'the colour profile was omitted: it is too large, or the image format does not support it'
  await writeFile(path, Buffer.concat(pieces))
  return undefined
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = new Uint8Array(Math.min(size, profileHeadBytes))
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    return head.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

import type { Rational } from '../../src/contract/media-facts.ts'
import type { CapturedFrame } from '../../src/engines/chromium/capture-session.ts'
import { pictureHeader, streamHeader } from '../../src/media/matroska/png-stream.ts'
import { encodePng } from '../../src/platform/png.ts'
import type { Size } from '../../src/media/geometry.ts'

/** Size, frame rate and frame count of a layer of pictures. */
export interface LayerFormat extends Size {
  readonly rate: Rational
  readonly frames: number
}

/**
 * Converts captured frames to a Matroska stream of PNGs for ffmpeg, starting at frame 0. Each picture is at its first
 * frame; a transparent picture fills gaps.
 */
export async function* layerStream(
  captured: AsyncIterable<CapturedFrame>,
  layer: LayerFormat,
): AsyncGenerator<Uint8Array> {
  yield streamHeader({ ...layer, frameNs: Math.round((1e9 * layer.rate.den) / layer.rate.num) })
  const transparent = transparentPng(layer)
  let next = 0
  for await (const { frame, count, png } of captured) {
    if (frame > next) yield* pictureChunks(next, transparent)
    checkPng(png, layer)
    yield* pictureChunks(frame, png)
    next = frame + count
  }
  if (next < layer.frames) yield* pictureChunks(next, transparent)
}

function* pictureChunks(frame: number, png: Uint8Array): Generator<Uint8Array> {
  yield pictureHeader(frame, png.length)
  yield png
}

/** Byte offsets of width, height, bit depth and colour type in a PNG (W3C PNG, 11.2.1). */
const pngOffsets = { width: 16, height: 20, depth: 24, colour: 25 }

/** PNG colour types RGB and RGBA (W3C PNG, 11.2.1); opaque pictures are RGB. */
const rgbColourTypes = [2, 6]

/** Throws unless the PNG is 8-bit RGB or RGBA of the expected size: ffmpeg's filters are initialized for one size. */
function checkPng(png: Uint8Array, { width, height }: Size): void {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const isValid =
    view.getUint32(pngOffsets.width) === width &&
    view.getUint32(pngOffsets.height) === height &&
    view.getUint8(pngOffsets.depth) === 8 &&
    rgbColourTypes.includes(view.getUint8(pngOffsets.colour))
  if (!isValid) throw new Error(`the browser returned a picture that is not 8-bit ${width} x ${height}`)
}

function transparentPng({ width, height }: Size): Uint8Array {
  return encodePng({ width, height, channels: 4, bytes: new Uint8Array(width * height * 4) })
}

import type { Rational } from '../../src/contract/media-facts.ts'
import type { CapturedFrame } from '../../src/engines/chromium/capture-session.ts'
import { pictureHeader, streamHeader } from '../../src/media/matroska/png-stream.ts'
import { encodePng } from '../../src/platform/png.ts'
import type { Size } from '../../src/media/geometry.ts'

/** The size and length of a layer of pictures. */
export interface LayerFormat extends Size {
  readonly rate: Rational
  readonly frames: number
}

/**
 * Captured frames as one stream of pictures for ffmpeg, from frame 0 on: each where it begins, and a transparent
 * one where nothing is shown.
 */
export async function* layerStream(
  captured: AsyncIterable<CapturedFrame>,
  layer: LayerFormat,
): AsyncGenerator<Uint8Array> {
  yield streamHeader({ ...layer, frameNs: Math.round((1e9 * layer.rate.den) / layer.rate.num) })
  const nothing = transparentPng(layer)
  let next = 0
  for await (const { frame, count, png } of captured) {
    if (frame > next) yield* pictureChunks(next, nothing)
    checkPng(png, layer)
    yield* pictureChunks(frame, png)
    next = frame + count
  }
  if (next < layer.frames) yield* pictureChunks(next, nothing)
}

function* pictureChunks(frame: number, png: Uint8Array): Generator<Uint8Array> {
  yield pictureHeader(frame, png.length)
  yield png
}

/** Where PNG tells its size, its depth and its kind of colour. */
const pngOffsets = { width: 16, height: 20, depth: 24, colour: 25 }

/** Colour without and with alpha (W3C PNG, 11.2.1): what is opaque all over has none. */
const rgbColourTypes = [2, 6]

/** The picture's filters are set up once, for pictures of one size. */
function checkPng(png: Uint8Array, { width, height }: Size): void {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const isRight =
    view.getUint32(pngOffsets.width) === width &&
    view.getUint32(pngOffsets.height) === height &&
    view.getUint8(pngOffsets.depth) === 8 &&
    rgbColourTypes.includes(view.getUint8(pngOffsets.colour))
  if (!isRight) throw new Error(`the browser gave a picture that is not ${width} x ${height} of 8 bits`)
}

function transparentPng({ width, height }: Size): Uint8Array {
  return encodePng({ width, height, channels: 4, bytes: new Uint8Array(width * height * 4) })
}

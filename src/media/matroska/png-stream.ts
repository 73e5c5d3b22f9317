// Writes a Matroska file (RFC 9559) of PNG pictures with timestamps as a stream. A reader thus learns how
// long each picture is shown without receiving it again for every frame.

/** A stream of pictures of equal size, pixels. */
export interface PngStream {
  readonly width: number
  readonly height: number
  /** Duration of a frame, ns. Timestamps are counted in frames. */
  readonly frameNs: number
}

type Bytes = Uint8Array<ArrayBuffer>

/** Returns the bytes before the first picture. */
export function streamHeader({ width, height, frameNs }: PngStream): Bytes {
  const ebml = element(0x1a45dfa3, [
    element(0x4282, text('matroska')),
    element(0x4287, number(4)),
    element(0x4285, number(2)),
  ])
  const info = element(0x1549a966, [
    element(0x2ad7b1, number(frameNs)),
    element(0x4d80, text('reelwright')),
    element(0x5741, text('reelwright')),
  ])
  const entry = element(0xae, [
    element(0xd7, number(1)),
    element(0x73c5, number(1)),
    element(0x83, number(1)),
    element(0x9c, number(0)),
    element(0x23e383, number(frameNs)),
    element(0x86, text('V_MS/VFW/FOURCC')),
    element(0x63a2, bitmapHeader(width, height)),
    element(0xe0, [element(0xb0, number(width)), element(0xba, number(height))]),
  ])
  // The segment has an unknown length and ends with the stream.
  const segment = [identifier(0x18538067), Uint8Array.of(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)]
  return join([ebml, ...segment, info, element(0x1654ae6b, entry)])
}

/** Returns the bytes before the data of a picture that is shown from `frame` on. */
export function pictureHeader(frame: number, pngBytes: number): Bytes {
  const time = element(0xe7, number(frame))
  // Track 1, relative time 0, key frame.
  const block = Uint8Array.of(0x81, 0, 0, 0x80)
  const head = [identifier(0xa3), size(block.length + pngBytes), block]
  const length = time.length + join(head).length + pngBytes
  return join([identifier(0x1f43b675), size(length), time, ...head])
}

/** Returns a BITMAPINFOHEADER for PNG, which has no Matroska codec id of its own. */
function bitmapHeader(width: number, height: number): Bytes {
  const bytes = new Uint8Array(40)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, bytes.length, true)
  view.setInt32(4, width, true)
  view.setInt32(8, height, true)
  view.setUint16(12, 1, true)
  view.setUint16(14, 32, true)
  bytes.set(text('MPNG'), 16)
  return bytes
}

function element(id: number, content: Bytes | readonly Bytes[]): Bytes {
  const inner = content instanceof Uint8Array ? content : join(content)
  return join([identifier(id), size(inner.length), inner])
}

/** Encodes an id. Its first bits already contain its length. */
function identifier(id: number): Bytes {
  return number(id)
}

/** Encodes a length in eight bytes. The first byte marks the eight-byte form. */
function size(length: number): Bytes {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length))
  bytes[0] = 0x01
  return bytes
}

/** Encodes an integer in the minimum number of bytes, big-endian. */
function number(value: number): Bytes {
  const bytes: number[] = []
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256)
  }
  return Uint8Array.from(bytes)
}

function text(value: string): Bytes {
  return new TextEncoder().encode(value)
}

function join(parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

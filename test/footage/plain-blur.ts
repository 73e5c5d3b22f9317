import { type FramePlane, framePlanes, type FrameTreatment } from '../../src/media/clean/frame.ts'

/** Blurs boxes with an ordinary blur filter, as a reference for cleaning. */
export const plainBlur: FrameTreatment = async function* blurred(frames, { first, patchesAt }) {
  let index = first
  for await (const frame of frames) {
    for (const { x, y, width, height } of patchesAt(index)) {
      for (const [at, plane] of framePlanes(frame).entries()) {
        const scale = at === 0 ? 1 : 2
        const [left, top, columns, rows] = [x / scale, y / scale, width / scale, height / scale]
        blurBox(plane, { left, top, columns, rows })
      }
    }
    index += 1
    yield frame
  }
}

interface Box {
  readonly left: number
  readonly top: number
  readonly columns: number
  readonly rows: number
}

/** Approximates a Gaussian by three box blurs along each axis. Edge pixels are repeated beyond the frame. */
function blurBox({ bytes, width, height }: FramePlane, { left, top, columns, rows }: Box): void {
  const reach = Math.min(columns, rows)
  const [across, down] = [columns + 2 * reach, rows + 2 * reach]
  const kept = (value: number, most: number) => Math.min(most - 1, Math.max(0, value))
  let values = Float32Array.from({ length: across * down }, (_, at) => {
    const [row, column] = [kept(top - reach + Math.floor(at / across), height), left - reach + (at % across)]
    return bytes[row * width + kept(column, width)] ?? 0
  })
  for (let pass = 0; pass < 3; pass += 1) {
    values = means(values, { length: across, step: 1, lines: down, next: across }, reach)
    values = means(values, { length: down, step: across, lines: across, next: 1 }, reach)
  }
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = values[(row + reach) * across + column + reach] ?? 0
      bytes[(top + row) * width + left + column] = Math.round(value)
    }
  }
}

interface Lines {
  readonly length: number
  readonly step: number
  readonly lines: number
  readonly next: number
}

function means(values: Float32Array, { length, step, lines, next }: Lines, radius: number) {
  const result = new Float32Array(values.length)
  for (let line = 0; line < lines; line += 1) {
    const at = (place: number) => line * next + Math.min(length - 1, Math.max(0, place)) * step
    let sum = 0
    for (let place = -radius; place <= radius; place += 1) sum += values[at(place)] ?? 0
    for (let place = 0; place < length; place += 1) {
      result[at(place)] = sum / (2 * radius + 1)
      sum += (values[at(place + radius + 1)] ?? 0) - (values[at(place - radius)] ?? 0)
    }
  }
  return result
}

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

interface BlurBox {
  readonly left: number
  readonly top: number
  readonly columns: number
  readonly rows: number
}

/** Approximates a Gaussian by three box blurs along each axis. Edge pixels are repeated beyond the frame. */
function blurBox({ bytes, width, height }: FramePlane, { left, top, columns, rows }: BlurBox): void {
  const blurRadius = Math.min(columns, rows)
  const [outerColumns, outerRows] = [columns + 2 * blurRadius, rows + 2 * blurRadius]
  const clampTo = (value: number, most: number) => Math.min(most - 1, Math.max(0, value))
  let values = Float32Array.from({ length: outerColumns * outerRows }, (_, at) => {
    const [row, column] = [
      clampTo(top - blurRadius + Math.floor(at / outerColumns), height),
      left - blurRadius + (at % outerColumns),
    ]
    return bytes[row * width + clampTo(column, width)] ?? 0
  })
  for (let pass = 0; pass < 3; pass += 1) {
    values = means(
      values,
      { length: outerColumns, step: 1, lines: outerRows, next: outerColumns },
      blurRadius,
    )
    values = means(
      values,
      { length: outerRows, step: outerColumns, lines: outerColumns, next: 1 },
      blurRadius,
    )
  }
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = values[(row + blurRadius) * outerColumns + column + blurRadius] ?? 0
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
    const at = (index: number) => line * next + Math.min(length - 1, Math.max(0, index)) * step
    let sum = 0
    for (let index = -radius; index <= radius; index += 1) sum += values[at(index)] ?? 0
    for (let index = 0; index < length; index += 1) {
      result[at(index)] = sum / (2 * radius + 1)
      sum += (values[at(index + radius + 1)] ?? 0) - (values[at(index - radius)] ?? 0)
    }
  }
  return result
}

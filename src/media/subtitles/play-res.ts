import type { Canvas } from './styles.ts'

/** Sides of a picture that a file may be made for, as a request may name them, px; others say nothing. */
const [leastSide, mostSide] = [16, 16_384]

/** The side of a canvas that a line of a header tells; undefined where it tells none. */
export function parsePlayRes(line: string): Partial<Canvas> | undefined {
  const [, axis = '', value = ''] = /^\s*playres([xy])\s*:\s*(\d+)/i.exec(line) ?? []
  const side = Number.parseInt(value, 10)
  if (!(side >= leastSide && side <= mostSide)) return undefined
  return axis.toLowerCase() === 'x' ? { width: side } : { height: side }
}

/** The canvas of a file that tells one side or both: of one, the other is what libass takes it for. */
export function completePlayRes({ width, height }: Partial<Canvas>): Canvas | undefined {
  if (width !== undefined)
    return { width, height: height ?? (width === 1280 ? 1024 : Math.trunc((width * 3) / 4)) }
  if (height === undefined) return undefined
  return { width: height === 1024 ? 1280 : Math.trunc((height * 4) / 3), height }
}

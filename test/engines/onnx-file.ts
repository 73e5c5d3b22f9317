// The subset of ONNX's protobuf format (onnx.proto3) that small models need. A field is a key, then a number or bytes.

/** Encodes an integer with 7 bits per byte. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

const number = (field: number, value: number) => Buffer.from([...varint(field * 8), ...varint(value)])
const bytes = (field: number, content: Buffer) =>
  Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(content.length)]), content])
const message = (field: number, parts: readonly Buffer[]) => bytes(field, Buffer.concat(parts))
const text = (field: number, value: string) => bytes(field, Buffer.from(value))

/** An operation of a model. */
export interface Node {
  readonly type: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Integer attributes: one, or a list. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

/** Dimensions; a string names a flexible one. */
export type Shape = readonly (number | string)[]

/** Definition of a model. */
export interface Graph {
  readonly inputs: Readonly<Record<string, Shape>>
  readonly outputs: Readonly<Record<string, Shape>>
  readonly nodes: readonly Node[]
  /** Inputs and outputs that are integers, with their bits; others are 32-bit floats. */
  readonly whole?: Readonly<Record<string, 32 | 64>>
  /** Metadata properties. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Constant tensors: 32-bit floats, or integers if stated. */
  readonly constants?: Readonly<
    Record<string, { dims: readonly number[]; values: readonly number[]; isWhole?: boolean }>
  >
}

/** Returns the file content of a model. */
export function onnxFile({
  inputs,
  outputs,
  nodes,
  constants = {},
  whole = {},
  metadata = {},
}: Graph): Buffer {
  const graph = [
    ...nodes.map(({ type, inputs: from, outputs: to, attributes = {} }) =>
      message(1, [
        ...from.map((name) => text(1, name)),
        ...to.map((name) => text(2, name)),
        text(4, type),
        ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
      ]),
    ),
    text(2, 'stand-in'),
    ...Object.entries(constants).map(([name, { dims, values, isWhole = false }]) => {
      const raw = isWhole
        ? Buffer.from(BigInt64Array.from(values, BigInt).buffer)
        : Buffer.from(Float32Array.from(values).buffer)
      const kind = number(2, isWhole ? 7 : 1)
      return message(5, [...dims.map((side) => number(1, side)), kind, text(8, name), bytes(9, raw)])
    }),
    ...Object.entries(inputs).map(([name, shape]) => message(11, valueInfo(name, shape, whole[name]))),
    ...Object.entries(outputs).map(([name, shape]) => message(12, valueInfo(name, shape, whole[name]))),
  ]
  // ONNX format version 8, operator set 13.
  const properties = Object.entries(metadata).map(([key, value]) =>
    message(14, [text(1, key), text(2, value)]),
  )
  return Buffer.concat([number(1, 8), message(7, graph), bytes(8, number(2, 13)), ...properties])
}

function attribute(name: string, value: number | readonly number[]): Buffer[] {
  if (typeof value === 'number') return [text(1, name), number(3, value), number(20, 2)]
  return [text(1, name), ...value.map((each) => number(8, each)), number(20, 7)]
}

/** Describes a tensor of 32-bit floats, or of integers of some bits. */
function valueInfo(name: string, shape: Shape, bits?: 32 | 64): Buffer[] {
  const kind = bits === undefined ? 1 : { 32: 6, 64: 7 }[bits]
  const sides = shape.map((side) => bytes(1, typeof side === 'number' ? number(1, side) : text(2, side)))
  return [text(1, name), bytes(2, message(1, [number(1, kind), message(2, sides)]))]
}

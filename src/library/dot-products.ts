/** Numbers of a vector. */
export const dimensions = 1024

/**
 * WebAssembly module in its binary format, as no compiler is at hand at run time. It imports `env.memory` and exports
 * `scan(query, vectors, count, out)`: pointers to a vector of 1024 int8, to `count` such vectors in a row, and to `count`
 * int32 for the dot products. SIMD makes it about ten times as fast as JavaScript.
 */
const program = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // Type 0: (i32, i32, i32, i32) -> ().
  ...section(1, [0x01, 0x60, 0x04, 0x7f, 0x7f, 0x7f, 0x7f, 0x00]),
  // Import of env.memory, at least one page.
  ...section(2, [0x01, ...name('env'), ...name('memory'), 0x02, 0x00, 0x01]),
  // One function of type 0, exported as scan.
  ...section(3, [0x01, 0x00]),
  ...section(7, [0x01, ...name('scan'), 0x00, 0x00]),
  ...section(10, [0x01, ...sized(scanBody())]),
])

/** Encodes a section of fewer than 16,384 bytes. */
function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

function sized(content: readonly number[]): number[] {
  const size = content.length
  return [...(size < 0x80 ? [size] : [(size & 0x7f) | 0x80, size >> 7]), ...content]
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)]
}

function scanBody(): number[] {
  const [query, vectors, count, out, at, sum, one, other] = [0, 1, 2, 3, 4, 5, 6, 7]
  const get = (local: number) => [0x20, local]
  const set = (local: number) => [0x21, local]
  const add = (local: number, bytes: number) => [...get(local), 0x41, bytes, 0x6a, ...set(local)]
  const load = [0xfd, 0x00, 0x04, 0x00]
  const dotProduct = [0xfd, 0xba, 0x01]
  const addLanes = [0xfd, 0xae, 0x01]
  const lane = (index: number) => [...get(sum), 0xfd, 0x1b, index]
  /** Products of the low (0x87) or high (0x88) eight numbers, as int16. */
  const products = (half: number) => [
    ...[...get(one), 0xfd, half, 0x01, ...get(other), 0xfd, half, 0x01],
    ...dotProduct,
  ]
  const perSixteen = [
    ...[...get(at), ...load, ...set(one), ...get(vectors), ...load, ...set(other)],
    ...[...get(sum), ...products(0x87), ...addLanes, ...products(0x88), ...addLanes, ...set(sum)],
    ...[...add(at, 16), ...add(vectors, 16)],
    // Repeat while at < query + 1024.
    ...[...get(at), ...get(query), 0x41, 0x80, 0x08, 0x6a, 0x49, 0x0d, 0x00],
  ]
  const perVector = [
    // Leave the block when count is 0.
    ...[...get(count), 0x45, 0x0d, 0x01],
    ...[0xfd, 0x0c, ...Array<number>(16).fill(0), ...set(sum), ...get(query), ...set(at)],
    ...[0x03, 0x40, ...perSixteen, 0x0b],
    ...[...get(out), ...lane(0), ...lane(1), 0x6a, ...lane(2), 0x6a, ...lane(3), 0x6a, 0x36, 0x02, 0x00],
    ...[...add(out, 4), ...get(count), 0x41, 0x01, 0x6b, ...set(count), 0x0c, 0x00],
  ]
  // Locals: one i32 and three v128.
  return [0x02, 0x01, 0x7f, 0x03, 0x7b, 0x02, 0x40, 0x03, 0x40, ...perVector, 0x0b, 0x0b, 0x0b]
}

/** Memory that grows, with the function that reads it. */
interface DotProducts {
  readonly memory: Memory
  scan(query: number, vectors: number, count: number, out: number): void
}

interface Memory {
  /** Replaced when the memory grows. */
  readonly buffer: ArrayBuffer
  /** Adds pages of 64 KiB. */
  grow(pages: number): number
}

/** What is used of WebAssembly, whose types belong to the library of browsers. */
interface WebAssemblyTypes {
  readonly Memory: new (size: { readonly initial: number }) => Memory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: Memory } },
  ) => { readonly exports: Readonly<Record<'scan', DotProducts['scan']>> }
}

/** Creates a memory of one page. */
export function createDotProducts(): DotProducts {
  const { WebAssembly: types } = globalThis as unknown as { readonly WebAssembly: WebAssemblyTypes }
  const memory = new types.Memory({ initial: 1 })
  const { exports } = new types.Instance(new types.Module(program), { env: { memory } })
  return { memory, scan: exports.scan }
}

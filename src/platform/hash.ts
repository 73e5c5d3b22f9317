import type * as Native from '@napi-rs/blake-hash'
import { open, type FileHandle } from 'node:fs/promises'
import { readAhead } from './read-ahead.ts'

/** An incremental BLAKE3 hash. */
export interface Hasher {
  update(chunk: Uint8Array): void
  /** Returns the hash in lower-case hex; the hasher cannot be used afterwards. */
  digest(): string
}

interface HashOptions {
  /** First byte. */
  readonly offset?: number
  /** Most bytes to hash; by default to the end of the file. */
  readonly size?: number
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed so far. */
  readonly onProgress?: (hashed: number) => void
}

/** Size of reads: 1 MiB, as larger ones were not faster. */
const hashChunkBytes = 2 ** 20

let native: Promise<typeof Native | null> | undefined

/** Creates a BLAKE3 hasher: native if it loads (ten times as fast), else WebAssembly. */
export async function createHasher(): Promise<Hasher> {
  native ??= import('@napi-rs/blake-hash').catch(() => null)
  const loaded = await native
  return loaded ? nativeHasher(new loaded.Blake3Hasher()) : createPortableHasher()
}

/** Creates the WebAssembly BLAKE3 hasher, which loads on every system. */
export async function createPortableHasher(): Promise<Hasher> {
  const { createBLAKE3 } = await import('hash-wasm')
  const hasher = (await createBLAKE3()).init()
  return { update: (chunk) => void hasher.update(chunk), digest: () => hasher.digest('hex') }
}

function nativeHasher(hasher: Native.Blake3Hasher): Hasher {
  return { update: (chunk) => void hasher.update(chunk), digest: () => hasher.digest('hex') }
}

/** BLAKE3 of a file, in constant memory. */
export async function hashFile(path: string, options: { signal?: AbortSignal } = {}): Promise<string> {
  await using file = await open(path, 'r')
  return (await hashBytes(file, options)).blake3
}

/** BLAKE3 of a range of an open file, and the number of bytes hashed, which is smaller where the file ends early. */
export async function hashBytes(
  file: FileHandle,
  { offset = 0, size = Infinity, signal, onProgress }: HashOptions = {},
): Promise<{ blake3: string; size: number }> {
  const hasher = await createHasher()
  let hashed = 0
  for await (const piece of readAhead(file, { offset, size, pieceBytes: hashChunkBytes })) {
    signal?.throwIfAborted()
    hasher.update(piece)
    hashed += piece.byteLength
    onProgress?.(hashed)
  }
  signal?.throwIfAborted()
  return { blake3: hasher.digest(), size: hashed }
}

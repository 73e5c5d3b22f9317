import type * as Native from '@napi-rs/blake-hash'
import { open } from 'node:fs/promises'

/** A BLAKE3 under way. */
export interface Hasher {
  update(chunk: Uint8Array): void
  /** Lower-case hex; the hasher is spent afterwards. */
  digest(): string
}

/** 1 MiB: larger reads were no faster. */
const chunkBytes = 2 ** 20

let native: Promise<typeof Native | null> | undefined

/** Starts a BLAKE3: native where that loads (ten times faster), else WebAssembly. */
export async function createHasher(): Promise<Hasher> {
  native ??= import('@napi-rs/blake-hash').catch(() => null)
  const loaded = await native
  return loaded ? nativeHasher(new loaded.Blake3Hasher()) : createPortableHasher()
}

/** The WebAssembly BLAKE3, which loads on every system. */
export async function createPortableHasher(): Promise<Hasher> {
  const { createBLAKE3 } = await import('hash-wasm')
  const hasher = (await createBLAKE3()).init()
  return { update: (chunk) => void hasher.update(chunk), digest: () => hasher.digest('hex') }
}

function nativeHasher(hasher: Native.Blake3Hasher): Hasher {
  return { update: (chunk) => void hasher.update(chunk), digest: () => hasher.digest('hex') }
}

/** BLAKE3 of a file, read piece by piece: flat memory at any size. */
export async function hashFile(path: string, options: { signal?: AbortSignal } = {}): Promise<string> {
  const hasher = await createHasher()
  await using file = await open(path, 'r')
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (;;) {
    options.signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, chunkBytes)
    if (bytesRead === 0) return hasher.digest()
    hasher.update(buffer.subarray(0, bytesRead))
  }
}

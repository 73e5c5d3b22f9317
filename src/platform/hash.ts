import type * as Native from '@napi-rs/blake-hash'
import { open, type FileHandle } from 'node:fs/promises'

/** A BLAKE3 under way. */
export interface Hasher {
  update(chunk: Uint8Array): void
  /** Lower-case hex; the hasher is spent afterwards. */
  digest(): string
}

/** Which bytes of a file, and who follows how far their hash is. */
interface HashOptions {
  /** First byte. */
  readonly offset?: number
  /** At most so many bytes; left out, to the end. */
  readonly size?: number
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed so far. */
  readonly onProgress?: (hashed: number) => void
}

/** 1 MiB: larger reads were no faster. */
const hashChunkBytes = 2 ** 20

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
  await using file = await open(path, 'r')
  return (await hashBytes(file, options)).blake3
}

/** BLAKE3 of bytes of an open file, and how many there were: fewer than asked for where the file ends before. */
export async function hashBytes(
  file: FileHandle,
  { offset = 0, size = Infinity, signal, onProgress }: HashOptions = {},
): Promise<{ blake3: string; size: number }> {
  const hasher = await createHasher()
  let hashed = 0
  const pieceBytes = Math.min(hashChunkBytes, size)
  const read = (piece: Buffer) => file.read(piece, 0, Math.min(pieceBytes, size - hashed), offset + hashed)
  let [present, ahead] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)]
  let reading = read(present)
  for (;;) {
    const { bytesRead } = await reading
    signal?.throwIfAborted()
    if (bytesRead === 0) return { blake3: hasher.digest(), size: hashed }
    hashed += bytesRead
    // The next piece is read while this one is hashed.
    reading = read(ahead)
    hasher.update(present.subarray(0, bytesRead))
    onProgress?.(hashed)
    ;[present, ahead] = [ahead, present]
  }
}

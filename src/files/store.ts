/** Bytes the store holds, named by their content. */
export interface StoredBytes {
  /** BLAKE3, lower-case hex. */
  readonly blake3: string
  /** Bytes. */
  readonly size: number
}

/** A part of a file: first byte and last byte, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The promise every file store keeps: bytes are named by their BLAKE3, equal bytes are held once,
 * and what `put` or `adopt` returned survives a power cut.
 */
export interface FileStore {
  /**
   * Takes a stream. Throws 6011 for no bytes, 6002 past `maxBytes` and when the disk is full; whatever
   * fails, the stream included, leaves nothing.
   */
  put(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  /** Takes a finished local file, which may be moved away; 6002 when the disk is full. */
  adopt(path: string): Promise<StoredBytes>
  /** Streams bytes, or a range of them; rejects when they are not there. */
  read(blake3: string, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /** Makes the bytes readable at a local path, without copying where the system can. */
  stage(blake3: string, path: string): Promise<void>
  /** Lends the bytes under a local path that ends in `ext`, for as long as `use` takes. */
  lend<T>(bytes: { blake3: string; ext: string }, use: (path: string) => Promise<T>): Promise<T>
  /** Frees the bytes; quiet when they are gone already. */
  remove(blake3: string): Promise<void>
  /** Names of all bytes held, for the sweep of orphans. */
  list(): AsyncIterable<StoredBytes>
  /** Removes what interrupted writes left. Called at start, before any write. */
  recover(): Promise<void>
}

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

/** Where a part lies in its file: its first byte, and its bytes. */
export interface PartRange {
  readonly offset: number
  readonly size: number
}

/** A part that comes. */
export interface IncomingPart extends PartRange {
  /**
   * Set for a part that was stored before: awaited before other bytes take the place of those, which may be
   * lost from then on. Equal bytes leave them alone.
   */
  readonly beforeOverwrite?: (() => Promise<void>) | undefined
}

/** What the parts of a file must make together. */
export interface DeclaredContent {
  readonly size: number
  /** BLAKE3, lower-case hex; null where nobody said. */
  readonly blake3: string | null
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
  /**
   * Takes one part of a file that comes in parts, named by its upload: in any order, several at once, but one
   * at a time to one place. Once it resolves the part survives a power cut; a part that fails leaves nothing
   * to rely on. Throws 6025 for another number of bytes, 6002 when the disk is full, 6024 once it was finished or
   * discarded meanwhile.
   */
  putPart(upload: string, part: IncomingPart, source: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Takes a file of which all parts are there and none is coming. They stay until they are discarded, so that
   * it can be called again. Throws 6028 for another size, 6026 for other bytes; then parts can be put again.
   */
  assemble(upload: string, whole: DeclaredContent): Promise<StoredBytes>
  /** Frees an upload's parts; quiet when there are none. */
  discard(upload: string): Promise<void>
  /** Names of all uploads with parts, for the sweep of orphans. */
  listUploads(): AsyncIterable<string>
  /** Streams bytes, or a range of them; rejects when they are not there. */
  read(blake3: string, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /** Makes the bytes readable at a local path, without copying where the system can; 6004 when they are not there. */
  stage(blake3: string, path: string): Promise<void>
  /** Lends the bytes under a local path that ends in `ext`, for as long as `use` takes; 6004 when they are not there. */
  withLocalPath<T>(bytes: { blake3: string; ext: string }, use: (path: string) => Promise<T>): Promise<T>
  /** Whether the bytes are there. */
  has(blake3: string): Promise<boolean>
  /** Bytes it can still take. */
  freeSpace(): Promise<number>
  /** Frees the bytes; quiet when they are gone already. */
  remove(blake3: string): Promise<void>
  /** Names of all bytes held, for the sweep of orphans. */
  list(): AsyncIterable<StoredBytes>
  /** Removes what interrupted writes left, but no parts. Called at start, before any write. */
  recover(): Promise<void>
}

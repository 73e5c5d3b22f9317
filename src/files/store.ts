/** Content in the store, identified by its hash. */
export interface StoredBytes {
  /** BLAKE3, lower-case hex. */
  readonly blake3: string
  /** Bytes. */
  readonly size: number
}

/** A byte range of a file; both ends inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Content that can be read in ranges. */
export interface ReadableContent {
  /** File name. */
  readonly name: string
  /** Extension, with the dot. */
  readonly ext: string
  /** Identifies the content: letters, digits and hyphens. */
  readonly tag: string
  /** Bytes. */
  readonly size: number
  read(range: ByteRange | undefined): Promise<NodeJS.ReadableStream>
}

/** Position of a part in its file: first byte and length. */
export interface PartRange {
  readonly offset: number
  readonly size: number
}

/** A part to be stored. */
export interface IncomingPart extends PartRange {
  /**
   * Set for a part that is already stored. Awaited before different bytes overwrite it; the stored part may be
   * lost from then on. Equal bytes overwrite nothing.
   */
  readonly beforeOverwrite?: (() => Promise<void>) | undefined
  /**
   * Whether the bytes come from a disk of this machine and so rarely fail. Such parts of an upload are copied one
   * after another and hashed while they are copied, not read again.
   */
  readonly isLocal?: boolean
}

/** Declared size and hash of an upload. */
export interface DeclaredContent {
  readonly size: number
  /** BLAKE3, lower-case hex; null when none was declared. */
  readonly blake3: string | null
}

/**
 * Stores content by its BLAKE3. Equal content is stored once. What `put` or `adopt` returned survives a power cut.
 */
export interface FileStore {
  /**
   * Stores a stream. Throws 6011 for an empty stream, 6002 beyond `maxBytes` or when the disk is full. Any
   * failure, including one of the stream, leaves nothing behind.
   */
  put(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  /** Stores a finished local file, which may be moved. Throws 6002 when the disk is full. */
  adopt(path: string): Promise<StoredBytes>
  /**
   * Stores one part of an upload durably. Parts come in any order and concurrently, but only one at a time per
   * position. A failed part must be sent again. Throws 6025 for a wrong number of bytes, 6002 when the disk is
   * full, 6024 when the upload was assembled or discarded meanwhile.
   */
  putPart(upload: string, part: IncomingPart, source: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Stores the assembled parts as one file. All parts must be stored and none may be in progress. The parts stay
   * until `discard`, so that the call can be repeated. Throws 6028 for a wrong size, 6026 for a wrong hash; parts
   * can then be stored again.
   */
  assemble(upload: string, whole: DeclaredContent): Promise<StoredBytes>
  /** Removes the parts of an upload, if any. */
  discard(upload: string): Promise<void>
  /** Lists uploads that have parts, to find orphans. */
  listUploads(): AsyncIterable<string>
  /** Streams the content or a range of it; rejects when it does not exist. */
  read(blake3: string, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /**
   * Makes the content readable at a local path, without copying when the file system supports it. Throws 6004 when
   * it does not exist.
   */
  stage(blake3: string, path: string): Promise<void>
  /**
   * Calls `use` with a temporary local path to the content that ends in `ext`. Throws 6004 when the content does
   * not exist.
   */
  withLocalPath<T>(bytes: { blake3: string; ext: string }, use: (path: string) => Promise<T>): Promise<T>
  /** Size of the content, bytes; undefined if it does not exist. */
  sizeOf(blake3: string): Promise<number | undefined>
  /** Whether the content exists. */
  has(blake3: string): Promise<boolean>
  /** Free space, bytes. */
  freeSpace(): Promise<number>
  /** Removes the content, if it exists. */
  remove(blake3: string): Promise<void>
  /** Lists all content, to find orphans. */
  list(): AsyncIterable<StoredBytes>
  /** Removes remains of interrupted writes, except parts. Call it at start, before any write. */
  recover(): Promise<void>
}

import type { LibraryScope } from '../contract/library.ts'

/** A folder of the operator whose media files are in the library. */
export interface LibraryFoldersTable {
  id: number
  /** Real, absolute path. */
  path: string
  licence: string
  attribution: string
  added_at: number
}

/** A media file of the library. */
export interface MaterialsTable {
  id: number
  /** Null once the folder was removed. */
  folder_id: number | null
  /** Relative to the folder, with slashes. */
  path: string
  scope: LibraryScope
  /** File name. */
  name: string
  /** BLAKE3 of the original, lower-case hex. */
  blake3: string
  /** Bytes of the original. */
  size: number
  /** Modification time of the original, ms. */
  modified_at: number
  /** Size and modification time of its sidecar, and of its accompaniment; null without a sidecar. */
  sidecar: string | null
  title: string | null
  author: string | null
  note: string
  /** JSON array. */
  tags: string
  audio_type: 'song' | 'pure' | null
  /** File name of the accompaniment, in the folder of the original. */
  accompaniment: string | null
  width: number | null
  height: number | null
  fps: number | null
  duration_ms: number | null
  /** See `pictureHash`. */
  picture_hash: string | null
  /** BLAKE3 in the file store, like the next four. */
  cover: string | null
  preview: string | null
  thumb: string | null
  /** Copy of the original of a granted material whose folder was removed. */
  kept: string | null
  kept_accompaniment: string | null
  /** Only active materials are found. */
  state: 'active' | 'missing' | 'removed'
  added_at: number
  /** Grows with every change of the library. */
  updated_at: number
}

/** Vectors of pictures: one of an image, one of each shot of a video. */
export interface MaterialVectorsTable {
  material_id: number
  part: number
  /** Time of the picture in a video. */
  start_ms: number
  /** `space` of the embedding model. */
  space: string
  /** 1024 float32, little-endian, of length 1. */
  vector: Uint8Array
}

/** Materials that searches returned to an account; it keeps them. */
export interface MaterialGrantsTable {
  account_id: number
  material_id: number
  granted_at: number
}

/** Last numbers of the library, which never fall: those of deleted rows are not used again. */
export interface LibraryNumbersTable {
  /** Ids of folders and materials, and `updated_at` of materials. */
  name: 'folder' | 'material' | 'change'
  last: number
}

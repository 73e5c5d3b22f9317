export const libraryScopes = ['clip', 'image', 'audio'] as const
export type LibraryScope = (typeof libraryScopes)[number]

/** A search of the library. */
export interface LibraryQuery {
  readonly scope: LibraryScope
  readonly text: string
  /** Vector of the text, if a model for the scope is installed. */
  readonly vector?: { readonly space: string; readonly values: Float32Array }
  readonly limit: number
  /** Whether near-duplicates are folded. */
  readonly diversity: boolean
}

/** A material that a search found. Times in seconds; fields that do not apply to its scope are absent. */
export interface FoundMaterial {
  readonly id: number
  /** File name. */
  readonly name: string
  /** Calibrated, 0 to 1. */
  readonly score: number
  readonly note: string
  readonly tags: readonly string[]
  readonly width?: number
  readonly height?: number
  readonly fps?: number
  readonly duration?: number
  readonly title?: string
  readonly author?: string
  readonly audioType?: 'song' | 'pure'
  /** Whether it has a file of the accompaniment. */
  readonly hasAccompaniment?: boolean
}

/** Links of a material. Those of its original and its accompaniment expire. */
export interface MaterialLinks {
  readonly downloadUrl: string
  readonly accompanimentUrl?: string
  readonly coverUrl?: string
  readonly previewUrl?: string
  readonly thumbUrl?: string
}

export interface LibraryFindResult<More = unknown> {
  /** Materials recalled before filtering and folding. */
  readonly recalled: number
  /** Space of the vectors of the scope; absent if it has none, so that only words find its materials. */
  readonly space?: string
  readonly results: readonly (FoundMaterial & More)[]
}

/** Describes how many materials searches find, and how. */
export function describeLibrary({
  clip,
  image,
  audio,
  words_only,
}: Readonly<Record<LibraryScope, number>> & { readonly words_only: boolean }): string {
  if (clip + image + audio === 0) return 'empty'
  const counts = [count(clip, 'video'), count(image, 'image'), count(audio, 'sound')]
  return `${counts.filter((one) => one !== '').join(', ')}${words_only ? '; found by words alone' : ''}`
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}

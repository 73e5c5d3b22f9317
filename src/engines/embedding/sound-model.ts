/** Vector of a piece of a sound: 1024 numbers, of length 1. */
export interface SoundVector {
  /** Start of the piece, ms. */
  readonly startMs: number
  readonly values: Float32Array
}

/** Turns English texts and sounds into vectors of one space. */
export interface SoundModel extends AsyncDisposable {
  /** Name of its pack. */
  readonly name: string
  /** Identifies the vector space: model, revision and preprocessing. Vectors of different spaces cannot be compared. */
  readonly space: string
  /** Returns the vector of a text: 1024 numbers, of length 1. */
  embedText(text: string): Promise<Float32Array>
  /** Returns vectors of pieces that are spread over the first audio stream of a file: 1 to 8. Throws errors of the file. */
  embedSound(path: string, options: { readonly signal: AbortSignal }): Promise<SoundVector[]>
}

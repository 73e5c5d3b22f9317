/** Turns texts and images into vectors of one space. */
export interface EmbeddingModel extends AsyncDisposable {
  /** Name in results, such as `siglip2-base` or `jina-clip-v2 at 127.0.0.1:8000`. */
  readonly name: string
  /** Identifies the vector space: model, revision and preprocessing. Vectors of different spaces cannot be compared. */
  readonly space: string
  /** Returns one vector per text, in order: 1024 numbers, of length 1. `task`: prefix of the text side. */
  embedTexts(
    texts: readonly string[],
    options: { readonly task?: string; readonly signal: AbortSignal },
  ): Promise<Float32Array[]>
  /** Returns one vector per image file, in order: 1024 numbers, of length 1. Throws 6014 or 6021 for what is no image. */
  embedImages(paths: readonly string[], options: { readonly signal: AbortSignal }): Promise<Float32Array[]>
}

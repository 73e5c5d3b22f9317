interface OverlapOptions {
  /** Samples of a piece, and of what two neighbours share; of all channels, which come in turn. */
  readonly size: number
  readonly overlap: number
}

/** Sound, and what was made of it. */
export interface ProcessedAudio {
  readonly given: Float32Array
  readonly made: Float32Array
}

/**
 * Makes something of sound of any length by work on pieces of it that overlap: in what they share one fades into the
 * next. The last is filled up with silence. What comes out is as long as what goes in.
 */
export async function* processOverlapping(
  sound: AsyncIterable<Float32Array>,
  { size, overlap }: OverlapOptions,
  work: (piece: Float32Array) => Promise<Float32Array>,
): AsyncGenerator<ProcessedAudio> {
  const piece = new Float32Array(size)
  let filled = 0
  let tail: Float32Array | undefined
  const join = async (): Promise<Float32Array> => {
    const made = (await work(piece)).slice(0, size)
    for (const [at, before] of tail?.entries() ?? []) {
      const share = (at + 0.5) / overlap
      made[at] = before * (1 - share) + (made[at] ?? 0) * share
    }
    return made
  }
  for await (const chunk of sound) {
    for (let at = 0; at < chunk.length;) {
      // A full piece waits for more, so that the last one is known to be.
      if (filled === size) {
        const made = await join()
        yield { given: piece.slice(0, size - overlap), made: made.subarray(0, size - overlap) }
        tail = made.slice(size - overlap)
        piece.copyWithin(0, size - overlap)
        filled = overlap
      }
      const count = Math.min(size - filled, chunk.length - at)
      piece.set(chunk.subarray(at, at + count), filled)
      filled += count
      at += count
    }
  }
  if (filled === 0) return
  piece.fill(0, filled)
  const made = await join()
  yield { given: piece.slice(0, filled), made: made.subarray(0, filled) }
}

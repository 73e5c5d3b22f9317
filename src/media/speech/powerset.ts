/** Who speaks, by classes of the model: nobody, one of three, or two of them at once. */
const classSpeakers: readonly (readonly number[])[] = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]]

/** Speakers that the model tells apart in a window. */
export const windowSpeakers = 3

/** For each of the speakers of a window, in which frames they speak: the likeliest class of each frame. */
export function decodePowerset(scores: Float32Array, frames: number): Uint8Array[] {
  const active = Array.from({ length: windowSpeakers }, () => new Uint8Array(frames))
  const classes = classSpeakers.length
  for (let frame = 0; frame < frames; frame += 1) {
    let best = 0
    for (let each = 1; each < classes; each += 1) {
      if ((scores[frame * classes + each] ?? 0) > (scores[frame * classes + best] ?? 0)) best = each
    }
    for (const speaker of classSpeakers[best] ?? []) active[speaker]?.fill(1, frame, frame + 1)
  }
  return active
}

import type { RecentFrames } from './frames.ts'

/** From here on a rise of the model's onsets is looked at more closely: nearly every true one is higher. */
const minOnsetProbability = 0.2

/** The moment, in frames, of an onset of the model that is worth a look and highest at a frame; null where there is none. */
export function onsetPeak(frames: RecentFrames, at: number, key: number): number | null {
  const of = (index: number) => frames.at(index).onsets[key] ?? 0
  const here = of(at)
  // Nearly all that is looked at ends here.
  if (here < minOnsetProbability) return null
  const [before, after] = [of(at - 1), of(at + 1)]
  return here <= before || here < after ? null : at + parabolaPeak(before, here, after)
}

/** Where between -0.5 and 0.5 a parabola through three values has its top. */
function parabolaPeak(before: number, here: number, after: number): number {
  const bend = before - 2 * here + after
  return bend === 0 ? 0 : (before - after) / (2 * bend)
}

import { type FacePatch, mouthArea, patchSide, rigidArea } from './face-patch.ts'

/** Largest movement of the head between two patches that is compensated, px of a patch. */
const maxShift = 3

/** Least contrast of a face, levels: flat, dark patches would magnify noise. */
const minContrast = 6

/** Change of the rigid part, in contrasts, above which the patches show another picture or face. */
const maxRigidChange = 0.6

/** Bounds of the ratio of the texture of the mouth to that of the rigid part. */
const textureRatio = { min: 0.5, max: 2 } as const

/**
 * Motion of the mouth between two patches of a face less than 0.1 s apart: mean change of luma, in contrasts (standard
 * deviations of the luma) of the face; 0 where the mouth moves with the head. The movement of the head is that for which the
 * rigid part of the face changes least; what still changes there, by noise and turns of the head, is subtracted in
 * proportion to the texture. Undefined if the patches show different pictures.
 */
export function mouthMotion(before: FacePatch, after: FacePatch): number | undefined {
  const contrast = Math.max(minContrast, (faceContrast(before) + faceContrast(after)) / 2)
  const best = alignRigid(before, after)
  if (best.change > maxRigidChange * contrast) return undefined
  const ratio = texture(before, mouthArea) / Math.max(1e-3, texture(before, rigidArea))
  const moved = meanChange(before, after, { ...best, area: mouthArea })
  const expected = best.change * Math.min(textureRatio.max, Math.max(textureRatio.min, ratio))
  return Math.max(0, moved - expected) / contrast
}

type Area = typeof mouthArea

interface ShiftedArea {
  readonly area: Area
  /** Position in `after` of the pixel 0, 0 of `before`. */
  readonly dx: number
  readonly dy: number
}

/** A movement between two patches and the change of the rigid part that remains, levels. */
interface Alignment {
  readonly dx: number
  readonly dy: number
  readonly change: number
}

/** Returns the movement for which the rigid part changes least: to whole pixels, then to fractions around them. */
function alignRigid(before: FacePatch, after: FacePatch): Alignment {
  const changeAt = (dx: number, dy: number): Alignment => ({
    ...{ dx, dy },
    change: meanChange(before, after, { area: rigidArea, dx, dy }),
  })
  let best = changeAt(0, 0)
  const tryAround = ({ dx, dy }: Alignment, reach: number, step: number): void => {
    for (let y = -reach; y <= reach; y += step) {
      for (let x = -reach; x <= reach; x += step) {
        const tried = changeAt(dx + x, dy + y)
        if (tried.change < best.change) best = tried
      }
    }
  }
  tryAround(best, maxShift, 1)
  for (const fraction of [0.5, 0.25]) tryAround(best, fraction, fraction)
  return best
}

/** Changes of the pixels of an area, reused: a video takes ten thousands of comparisons per minute. */
const changes = new Float32Array(patchSide * patchSide)

/** Mean absolute change of an area, levels, apart from a change of its mean luma. */
function meanChange(before: FacePatch, after: FacePatch, { area, dx, dy }: ShiftedArea): number {
  const [across, down] = [Math.floor(dx), Math.floor(dy)]
  const [right, below] = [dx - across, dy - down]
  const shift = down * patchSide + across
  let [count, total] = [0, 0]
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let at = y * patchSide + area.left; at < y * patchSide + area.right; at += 1) {
      const from = at + shift
      const upper = (after[from] ?? 0) * (1 - right) + (after[from + 1] ?? 0) * right
      const lower = (after[from + patchSide] ?? 0) * (1 - right) + (after[from + patchSide + 1] ?? 0) * right
      const change = upper * (1 - below) + lower * below - (before[at] ?? 0)
      changes[count] = change
      count += 1
      total += change
    }
  }
  const mean = total / count
  let sum = 0
  for (let at = 0; at < count; at += 1) sum += Math.abs((changes[at] ?? 0) - mean)
  return sum / count
}

function faceContrast(patch: FacePatch): number {
  return Math.max(deviation(patch, rigidArea), deviation(patch, mouthArea))
}

/** Standard deviation of the luma of an area, levels. */
function deviation(patch: FacePatch, { left, top, right, bottom }: Area): number {
  let [sum, squares] = [0, 0]
  for (let y = top; y < bottom; y += 1) {
    for (const value of patch.subarray(y * patchSide + left, y * patchSide + right)) {
      sum += value
      squares += value * value
    }
  }
  const count = (right - left) * (bottom - top)
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
}

/** Mean absolute difference of neighbours in an area, levels. */
function texture(patch: FacePatch, { left, top, right, bottom }: Area): number {
  let sum = 0
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * patchSide + left; at < y * patchSide + right; at += 1) {
      const value = patch[at] ?? 0
      sum += Math.abs((patch[at + 1] ?? 0) - value) + Math.abs((patch[at + patchSide] ?? 0) - value)
    }
  }
  return sum / (2 * (right - left) * (bottom - top))
}

import type { Point, Rect } from '../../src/media/geometry.ts'
import type { PictureAnalysis } from '../../src/media/reframe/shot-takes.ts'
import { createRandom } from '../piano/seeded-random.ts'

/** Frames per second of the paths. */
export const perSecond = 25

/** The path of a face: its centre at a frame; undefined where it is not in the picture. */
export interface FacePath {
  readonly width: number
  readonly at: (frame: number) => Point | undefined
}

/** Frames of so many seconds. */
export const seconds = (count: number) => Math.round(count * perSecond)
/** A face that stays at a place. */
export const standing = (x: number, y: number, width = 200): FacePath => ({ width, at: () => ({ x, y }) })
/** A face that is only seen from one frame to before another. */
export const during = (path: FacePath, from: number, to: number): FacePath => ({
  width: path.width,
  at: (frame) => (frame >= from && frame < to ? path.at(frame) : undefined),
})

/** What a detector finds of faces: about 4 samples per second, inexact by 3 % of the width, and 8 % are missed. */
export function detected(
  paths: readonly FacePath[],
  frames: number,
  cuts: readonly number[] = [],
): PictureAnalysis {
  const random = createRandom(frames)
  const isSample = (frame: number) =>
    frame % 6 === 0 || cuts.includes(frame) || cuts.includes(frame + 1) || frame === frames - 1
  const samples = Array.from({ length: frames }, (_, frame) => frame)
    .filter(isSample)
    .map((frame) => {
      const faces = paths.flatMap(({ width, at }): Rect[] => {
        const centre = at(frame)
        if (!centre || random.uniform() < 0.08) return []
        const [x, y] = [
          centre.x + 0.03 * width * random.gaussian(),
          centre.y + 0.03 * width * random.gaussian(),
        ]
        return [{ x: x - width / 2, y: y - 0.6 * width, width, height: 1.2 * width }]
      })
      return { frame, faces }
    })
  return { changes: cuts.map((frame) => ({ frame, mixed: 0 })), samples, starts: [0] }
}

import * as z from 'zod'
import { MediaError } from '../../src/contract/errors.ts'
import type { PurifyInput } from './work.ts'

/** Lists of regions by their fields. */
type Lists = Readonly<Record<string, NonNullable<PurifyInput['regions']>>>

/** Throws 6016 for a region that begins when the video has ended, s; `placeOf` tells where it stands. */
export function checkStarts(
  lists: Lists,
  end: number,
  placeOf: (path: readonly PropertyKey[]) => string = z.core.toDotPath,
): void {
  for (const [name, list] of Object.entries(lists)) {
    const late = list.findIndex(({ start = 0 }) => start >= end)
    if (late < 0) continue
    const place = placeOf([name, late, 'start'])
    throw new MediaError(6016, `${place}: is not before the end of the video (${end} s)`, {
      hint: `Give a start below ${end}.`,
    })
  }
}

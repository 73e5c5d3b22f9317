import { isRectInside, type Point, type Rect, type Size } from '../../src/media/geometry.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import type { FramedRange } from '../../src/media/reframe/framed-range.ts'

/** Returns the centres of the faces that a frame of the source shows. */
export type TrueFaces = (frame: number) => readonly Point[]

/** What is wrong with a framing, and how well it shows the faces. */
export interface JudgedFraming {
  /** Violations of what always applies to pieces and crops. */
  readonly problems: readonly string[]
  /** Share of the frames with faces in which all of them are shown; 1 without faces. */
  readonly shown: number
  /** Share of the frames that show the whole picture. */
  readonly whole: number
  /** Least number of kept frames between two changes of the framing that no cut of the source hides. */
  readonly leastBetweenMoves: number
  readonly moves: number
}

/** Judges framed ranges against given ranges, the true faces and the true first frames of shots. */
export function judgeFraming(
  framed: readonly FramedRange[],
  given: readonly FrameSpan[],
  truth: {
    readonly source: Size
    readonly canvas: Size
    readonly faces: TrueFaces
    readonly cuts?: readonly number[]
  },
): JudgedFraming {
  const problems = [...rangeProblems(framed, given), ...framed.flatMap((one) => cropProblems(one, truth))]
  let [withFaces, shown, whole, frames] = [0, 0, 0, 0]
  for (const { first, end, framing } of framed) {
    for (let frame = first; frame < end; frame += 1) {
      frames += 1
      whole += framing.mode === 'fit' ? 1 : 0
      const centres = truth.faces(frame)
      if (centres.length === 0) continue
      withFaces += 1
      const crop = framing.mode === 'crop' ? framing.crop : { x: 0, y: 0, ...truth.source }
      shown += centres.every((point) => isRectInside({ ...point, width: 0, height: 0 }, crop)) ? 1 : 0
    }
  }
  const moves = moveTimes(framed, truth.cuts ?? [])
  return {
    ...{ problems, moves: moves.flat().length },
    shown: withFaces === 0 ? 1 : shown / withFaces,
    whole: whole / Math.max(1, frames),
    leastBetweenMoves: Math.min(
      Infinity,
      ...moves.flatMap((shot) => shot.slice(1).map((time, index) => time - (shot[index] ?? 0))),
    ),
  }
}

/** Pieces must cover the given ranges exactly, in their order. */
function rangeProblems(framed: readonly FramedRange[], given: readonly FrameSpan[]): string[] {
  const joined: FrameSpan[] = []
  for (const { first, end } of framed) {
    const last = joined.at(-1)
    const target = given[joined.length - 1]
    if (last && target && last.end === first && last.end < target.end)
      joined[joined.length - 1] = { first: last.first, end }
    else joined.push({ first, end })
  }
  return JSON.stringify(joined) === JSON.stringify(given.map(({ first, end }) => ({ first, end })))
    ? []
    : [`ranges ${JSON.stringify(joined)} instead of ${JSON.stringify(given)}`]
}

function cropProblems(
  { first, framing }: FramedRange,
  { source, canvas }: { readonly source: Size; readonly canvas: Size },
): string[] {
  if (framing.mode !== 'crop') return framing.mode === 'fit' ? [] : [`${first}: ${framing.mode}`]
  const { crop } = framing
  const problems = evenProblems(crop, { x: 0, y: 0, ...source })
  // Both sides are rounded to even pixels.
  const [wide, high] = [crop.width * canvas.height, crop.height * canvas.width]
  if (Math.abs(wide - high) > 2 * Math.max(canvas.width, canvas.height)) problems.push('another shape')
  if (crop.width < source.width - 1 && crop.height < source.height - 1) problems.push('not the largest')
  return problems.map((problem) => `${first}: ${problem} ${JSON.stringify(crop)}`)
}

/** Returns what is wrong with a rectangle that must have even sides and positions inside another one. */
export function evenProblems(rect: Rect, within: Rect): string[] {
  const isEven = [rect.x, rect.y, rect.width, rect.height].every((value) => value % 2 === 0)
  return [
    ...(isEven ? [] : ['odd']),
    ...(rect.width > 0 && rect.height > 0 && isRectInside(rect, within) ? [] : ['outside']),
  ]
}

/** Returns the kept frames at which the framing changes within a shot, per run of frames of one shot. */
function moveTimes(framed: readonly FramedRange[], cuts: readonly number[]): number[][] {
  const shotOf = (frame: number) => cuts.filter((cut) => cut <= frame).length
  const shots: number[][] = [[]]
  let kept = 0
  for (const [index, piece] of framed.entries()) {
    const before = framed[index - 1]
    if (before && shotOf(before.end - 1) !== shotOf(piece.first)) shots.push([])
    else if (before && JSON.stringify(before.framing) !== JSON.stringify(piece.framing))
      shots.at(-1)?.push(kept)
    kept += piece.end - piece.first
  }
  return shots
}

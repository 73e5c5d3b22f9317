import { describe, expect, it } from 'vitest'
import { planFraming } from '../../src/media/reframe/plan-framing.ts'
import { detected, during, type FacePath, perSecond, seconds, standing } from './detected-faces.ts'

const source = { width: 1920, height: 1080 }
const canvas = { width: 1080, height: 1920 }
const frames = seconds(40)

function planSplits(paths: readonly FacePath[]) {
  const options = { source, canvas, perSecond, blurSigma: 40 }
  const split = { mode: 'auto', orientation: 'auto' } as const
  return planFraming([{ first: 0, end: frames }], detected(paths, frames), { ...options, split })
}

/** Frames of each split screen, with the number of its slots. */
function splitsOf(paths: readonly FacePath[]) {
  return planSplits(paths).split.map(({ first, end, framing }) => [
    first,
    end,
    framing.mode === 'split' ? framing.slots.length : 0,
  ])
}

const speakers = [standing(350, 450, 220), standing(1500, 460, 200)]
const row = (width: number, xs: readonly number[]) => xs.map((x) => standing(x, 200, width))

describe('a split screen of two speakers', () => {
  it.each([
    ['small', row(90, [700, 850, 1000, 1150])],
    ['half as large', row(105, [600, 720, 840, 1000, 1200])],
    ['of one person, half as large', row(108, [900])],
  ])('ignores faces in the background: %s', (_, crowd) => {
    expect(splitsOf([...speakers, ...crowd])).toEqual([[0, frames, 2]])
  })

  it('ignores a face that is barely seen: three times, for a moment', () => {
    const seen = [seconds(8), seconds(10.8), seconds(13.6)]
    const glimpsed: FacePath = {
      width: 190,
      at: (frame) =>
        seen.some((from) => frame >= from && frame < from + 6) ? { x: 900, y: 300 } : undefined,
    }
    expect(splitsOf([...speakers, glimpsed])).toEqual([[0, frames, 2]])
  })

  it('ignores a passer-by', () => {
    const passer = during(standing(900, 300, 170), seconds(10), seconds(14))
    expect(splitsOf([...speakers, passer])).toEqual([[0, frames, 2]])
  })

  it('is not one of the people behind them, where both fit one crop', () => {
    const together = [standing(800, 450, 200), standing(1050, 460, 190)]
    const crowd = row(100, [200, 500, 1500, 1700])
    const { ranges, split } = planSplits([...together, ...crowd])
    expect(split).toEqual([])
    expect(ranges.map(({ framing }) => framing.mode)).toEqual(['crop'])
  })
})

describe('people who count', () => {
  it('are all in a row that becomes smaller in the distance', () => {
    const panel = [260, 220, 185, 160].map((width, index) => standing(250 + 460 * index, 450, width))
    expect(splitsOf(panel)).toEqual([[0, frames, 4]])
  })

  it('are a guest who comes for a third of the time', () => {
    const guest = during(standing(930, 450, 190), seconds(20), frames)
    const found = splitsOf([...speakers, guest])
    expect(found.map(([, , slots]) => slots)).toEqual([2, 3])
  })

  it('are two, one of whom is half as far away', () => {
    expect(splitsOf([standing(350, 450, 220), standing(1500, 460, 115)])).toEqual([[0, frames, 2]])
  })
})

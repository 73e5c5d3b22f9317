import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectSubtitles } from './subtitle-selection.ts'

const size = { width: 960, height: 540 }
const fps = 25

interface Place {
  readonly x: number
  readonly y: number
  readonly across: number
  readonly down?: number
}

function text({ x, y, across, down = 30 }: Place, [first, last]: readonly [number, number]) {
  const box = { left: x - across / 2, top: y - down / 2, right: x + across / 2, bottom: y + down / 2 }
  return { first, last, moving: false, boxAt: () => box }
}

/** Lines of speech one after another at one height, of different lengths. */
const speech = (y: number) =>
  fc
    .array(
      fc.record({ across: fc.integer({ min: 80, max: 700 }), shown: fc.integer({ min: 20, max: 120 }) }),
      {
        minLength: 3,
        maxLength: 20,
      },
    )
    .map((all) => {
      let at = 10
      return all.map(({ across, shown }) => {
        at += shown + 5
        return text({ x: 480, y, across }, [at - shown, at])
      })
    })

describe('subtitles', () => {
  it('are the lines that change at one position, at any height, without permanent or other text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 500 }).chain((y) => fc.tuple(fc.constant(y), speech(y))),
        ([y, lines]) => {
          const elsewhere = y < 270 ? y + 200 : y - 200
          const mark = text({ x: 850, y: 30, across: 120 }, [0, 3000])
          const sign = text({ x: 300, y: elsewhere, across: 100 }, [50, 140])
          const found = selectSubtitles([mark, sign, ...lines], size, fps)
          expect(new Set(found)).toEqual(new Set(lines))
        },
      ),
    )
  })

  it('include both of two lines, and a rare third one', () => {
    const times = Array.from({ length: 8 }, (_, index) => [60 * index, 60 * index + 50] as const)
    const upper = times.map((time) => text({ x: 480, y: 440, across: 300 }, time))
    const lower = times.slice(0, 4).map((time) => text({ x: 480, y: 485, across: 400 }, time))
    const title = text({ x: 200, y: 380, across: 150 }, [10, 200])
    const third = times.slice(2, 4).map((time) => text({ x: 480, y: 395, across: 260 }, time))
    const all = [...upper, ...lower, ...third]
    expect(new Set(selectSubtitles([title, ...all], size, fps))).toEqual(new Set(all))
  })

  it('are found if vertical like horizontal ones', () => {
    const lines = [120, 200, 160].map((down, index) =>
      text({ x: 900, y: 60 + down / 2, across: 28, down }, [50 * index, 50 * index + 45]),
    )
    expect(selectSubtitles(lines, size, fps)).toEqual(lines)
  })

  it('exclude moving and tilted text; a single line counts only at a typical position', () => {
    const moving = [1, 2, 3].map((index) => ({
      ...text({ x: 480, y: 480, across: 300 }, [50 * index, 50 * index + 45]),
      moving: true,
    }))
    expect(selectSubtitles(moving, size, fps)).toEqual([])
    const tilted = moving.map((one) => ({ ...one, moving: false, tilt: { angle: 0.5, letterSize: 30 } }))
    expect(selectSubtitles(tilted, size, fps)).toEqual([])
    const usual = text({ x: 470, y: 480, across: 300 }, [5, 60])
    const sign = text({ x: 300, y: 200, across: 300 }, [5, 60])
    expect(selectSubtitles([usual, sign], size, fps)).toEqual([usual])
  })

  it('in a short clip are those at a typical position, although other text changes as often', () => {
    const spoken = [
      text({ x: 480, y: 490, across: 300 }, [5, 45]),
      text({ x: 480, y: 490, across: 420 }, [50, 95]),
    ]
    const signs = [0, 1].map((index) => text({ x: 220, y: 120, across: 160 }, [30 * index, 30 * index + 25]))
    expect(selectSubtitles([...signs, ...spoken], size, fps)).toEqual(spoken)
    expect(selectSubtitles([...signs, ...spoken.slice(0, 1)], size, fps)).toEqual(spoken.slice(0, 1))
    // Text that changes more often is speech, at any position.
    const many = [0, 1, 2].map((index) =>
      text({ x: 220, y: 120, across: 160 }, [30 * index, 30 * index + 25]),
    )
    expect(selectSubtitles([...many, ...spoken.slice(0, 1)], size, fps)).toEqual(many)
  })

  it('exclude permanent text that is detected again for a frame or two', () => {
    const spoken = [0, 1, 2].map((index) =>
      text({ x: 480, y: 490, across: 300 }, [100 * index, 100 * index + 90]),
    )
    const again = [89, 91, 120, 150, 180, 210, 240].flatMap((at, index) =>
      text({ x: 220, y: 120, across: 160 }, [at, at + (index % 2)]),
    )
    const sign = text({ x: 220, y: 120, across: 160 }, [10, 90])
    expect(selectSubtitles([...again, sign, ...spoken], size, fps)).toEqual(spoken)
    expect(selectSubtitles([...again, sign, ...spoken.slice(0, 1)], size, fps)).toEqual(spoken.slice(0, 1))
  })

  it('at one frame per second include lines of two frames', () => {
    const spoken = [0, 1, 2, 3, 4].map((index) =>
      text({ x: 480, y: 90, across: 200 + 50 * index }, [3 * index, 3 * index + 1]),
    )
    const sign = text({ x: 220, y: 270, across: 160 }, [2, 9])
    expect(selectSubtitles([sign, ...spoken], size, 1)).toEqual(spoken)
  })

  it('include consecutive lines whose ends overlap by a frame', () => {
    const lines = [0, 1, 2].map((index) =>
      text({ x: 480, y: 60, across: 200 + 50 * index }, [40 * index, 40 * (index + 1)]),
    )
    const mark = text({ x: 480, y: 500, across: 120 }, [0, 200])
    expect(selectSubtitles([mark, ...lines], size, fps)).toEqual(lines)
  })

  it('in a short clip include all lines of their slots, and changing ones above next to one below', () => {
    const dialogue = [
      text({ x: 480, y: 490, across: 300 }, [5, 45]),
      // Same left edge as the first line.
      text({ x: 380, y: 490, across: 100 }, [50, 95]),
    ]
    expect(selectSubtitles(dialogue, size, fps)).toEqual(dialogue)
    const above = [0, 1].map((index) =>
      text({ x: 480, y: 40, across: 200 + 90 * index }, [40 * index, 40 * index + 35]),
    )
    const below = text({ x: 480, y: 490, across: 300 }, [5, 45])
    const sign = text({ x: 220, y: 250, across: 160 }, [10, 60])
    expect(new Set(selectSubtitles([...above, below, sign], size, fps))).toEqual(new Set([...above, below]))
  })
})

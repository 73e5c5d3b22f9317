import { expect, test } from 'vitest'
import { missingSplitNotes } from '../../src/engines/shorts/clip-framing.ts'

const range = { first: 0, end: 50, framing: { mode: 'fit', blurSigma: 40 } } as const

test('a requested split screen that no part of a clip has is explained', () => {
  const notes = missingSplitNotes({ ranges: [range], split: [] }, 2)
  expect(notes).toEqual([
    'split_screen: clip2 has none: it needs the same 2 to 4 people, too far apart for one crop, for at least 2 s. Small faces in the background do not count',
  ])
})

test('a split screen that is shown, and missing face detection, need no explanation', () => {
  expect(missingSplitNotes({ ranges: [range], split: [range] }, 1)).toEqual([])
  expect(missingSplitNotes({ ranges: [range], split: [], degraded: 'no faces' }, 1)).toEqual([])
})

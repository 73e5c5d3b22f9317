import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestName } from './near-name.ts'

const names = ['a.mp4', 'Beach Walk.mp4', 'interview-final.mov', 'take 1.mp4', 'take 2.mp4', 'café.mp3']

test.for<[string, string | undefined]>([
  ['A.MP4', 'a.mp4'],
  ['a.mov', 'a.mp4'],
  ['a', 'a.mp4'],
  ['beach_walk.mp4', 'Beach Walk.mp4'],
  ['beach walks.mp4', 'Beach Walk.mp4'],
  ['interveiw-final.mov', 'interview-final.mov'],
  ['take 3.mp4', 'take 1.mp4'],
  ['cafe\u0301.mp3', 'café.mp3'],
  ['b.mp4', undefined],
  ['v1', undefined],
  ['interview.mov', undefined],
  ['', undefined],
  ['x'.repeat(5000), undefined],
])('%s', ([given, meant]) => {
  expect(nearestName(given, names)).toBe(meant)
})

test('a name with one letter too many is found among any others', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 6, maxLength: 20 })
  fc.assert(
    fc.property(word, fc.array(word), fc.nat(), (name, others, place) => {
      const at = place % name.length
      const given = `${name.slice(0, at)}x${name.slice(at)}`
      const found = nearestName(given, [...others, name])
      expect([...others, name]).toContain(found)
    }),
  )
})

test('many names are looked through in time', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `${'ab'.repeat(45)}${index}`)
  const begun = performance.now()
  nearestName('ba'.repeat(47), many)
  expect(performance.now() - begun).toBeLessThan(5000)
})

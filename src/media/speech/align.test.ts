import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alignReading, type AlignReadingOptions, type ReadingAlignment } from './align.ts'

type Words = readonly string[]

/** Cost of a substitution, by the definition. */
function substitution(one: string, other: string): number {
  if (one === other) return 0
  if (Math.min(one.length, other.length) < 4 || /\d/.test(one + other)) return 1
  const shorter = (word: string) => [...word].map((_, at) => word.slice(0, at) + word.slice(at + 1))
  const isSimilar =
    one.length === other.length
      ? [...one].filter((letter, at) => letter !== other[at]).length === 1
      : shorter(one).includes(other) || shorter(other).includes(one)
  return isSimilar ? 0.5 : 1
}

/** Least cost of aligning a reading, over all paths. Jumps are possible from every position. */
function plainCost(script: Words, heard: Words, jump: (index: number) => number): number {
  const withDeletions = (row: readonly number[]) => {
    const reached = [...row]
    for (let at = 1; at < reached.length; at += 1)
      reached[at] = Math.min(reached[at] ?? Infinity, (reached[at - 1] ?? Infinity) + 1)
    return reached
  }
  let row = withDeletions([0, ...script.map(() => Infinity)])
  for (const [index, word] of heard.entries()) {
    const afterJump = Math.min(...row) + jump(index)
    const before = row.map((cost) => Math.min(cost, afterJump))
    row = withDeletions(
      before.map((cost, at) =>
        Math.min(cost + 1, (before[at - 1] ?? Infinity) + substitution(script[at - 1] ?? '', word)),
      ),
    )
  }
  return Math.min(...row)
}

/** Cost of a returned alignment, from its units and runs alone. */
function pathCost(
  { script, heard }: { script: Words; heard: Words },
  { units, runs }: ReadingAlignment,
  jump: (index: number) => number,
): number {
  let cost = 0
  for (const [index, run] of runs.entries()) {
    let at = index > 0 ? null : 0
    if (index > 0) cost += jump(run.heard.from)
    for (let word = run.heard.from; word < run.heard.to; word += 1) {
      const position = units[word]?.script ?? -1
      if (position < 0) cost += 1
      else {
        const skipped = position - (at ?? position)
        // A reading may begin with a jump.
        cost += substitution(script[position] ?? '', heard[word] ?? '')
        cost += at === 0 && index === 0 ? Math.min(skipped, jump(0)) : skipped
        at = position + 1
      }
    }
  }
  return cost
}

/** Checks what holds for every alignment. */
function checkAlignment(script: Words, heard: Words, options: AlignReadingOptions = {}): ReadingAlignment {
  const result = alignReading(script, heard, options)
  const { units, runs } = result
  expect(units).toHaveLength(heard.length)
  let next = 0
  for (const run of runs) {
    expect(run.heard.from).toBe(next)
    expect(run.heard.to).toBeGreaterThan(next)
    next = run.heard.to
    let latest = run.script.from - 1
    const wrong = units.slice(run.heard.from, run.heard.to).filter(({ script: at, kind }, index) => {
      if (at === -1) return kind !== 'insertion'
      const isOrdered = at > latest && at < run.script.to
      latest = at
      const isMatch = script[at] === heard[run.heard.from + index]
      return !isOrdered || kind !== (isMatch ? 'match' : 'substitution')
    })
    expect(wrong).toEqual([])
  }
  expect(next).toBe(heard.length)
  return result
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')
const scriptsOf = ({ units }: ReadingAlignment) => units.map(({ script }) => script)

const repeating = fc.constantFrom('a', 'b', 'c', '中', 'word', 'wort', 'words', 'late', 'latex')
const texts = (maxLength: number) => fc.array(repeating, { maxLength, size: 'max' })

describe('a reading', () => {
  test('costs as little as the best of all paths, at any cost of jumps', () => {
    const jumps = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 60, maxLength: 60 })
    fc.assert(
      fc.property(texts(40), texts(60), fc.option(jumps), (script, heard, halves) => {
        const jumpCosts = halves?.map((half) => half / 2)
        const jump = (index: number) => jumpCosts?.[index] ?? 3
        const result = checkAlignment(script, heard, jumpCosts && { jumpCosts })
        expect(result.cost).toBe(plainCost(script, heard, jump))
        expect(pathCost({ script, heard }, result, jump)).toBe(result.cost)
      }),
      { numRuns: 150 },
    )
  })

  test('of 200 words costs as little as the best of all paths', () => {
    fc.assert(
      fc.property(texts(200), texts(200), (script, heard) => {
        const result = checkAlignment(script, heard)
        expect(result.cost).toBe(plainCost(script, heard, () => 3))
        expect(pathCost({ script, heard }, result, () => 3)).toBe(result.cost)
      }),
      { numRuns: 5 },
    )
  })

  test('without mistakes is aligned one to one, however often words repeat', () => {
    fc.assert(
      fc.property(texts(200), (script) => {
        const result = checkAlignment(script, script)
        expect(scriptsOf(result)).toEqual(script.map((_, index) => index))
        expect(result.runs.length).toBe(Math.min(1, script.length))
      }),
    )
  })

  test('of a passage read k times has k runs that cover it', () => {
    const lengths = { before: fc.nat(20), passage: fc.integer({ min: 4, max: 30 }), after: fc.nat(20) }
    fc.assert(
      fc.property(fc.record({ ...lengths, takes: fc.integer({ min: 1, max: 6 }) }), (given) => {
        const { before, passage, after, takes } = given
        const script = Array.from({ length: before + passage + after }, (_, index) => `w${index}`)
        const [start, end] = [before, before + passage]
        const heard = [
          ...script.slice(0, start),
          ...Array.from({ length: takes }, () => script.slice(start, end)).flat(),
          ...script.slice(end),
        ]
        const { runs, cost } = checkAlignment(script, heard)
        expect(runs).toHaveLength(takes)
        expect(cost).toBe(3 * (takes - 1))
        for (const { script: range } of runs) {
          expect(range.from).toBeLessThanOrEqual(start)
          expect(range.to).toBeGreaterThanOrEqual(end)
        }
      }),
    )
  })

  test.each([
    ['a restart', 'the cat sat', 'the cat the cat sat', [-1, -1, 0, 1, 2]],
    ['a misread word', 'one two three', 'one too three', [0, 1, 2]],
    ['a skipped word', 'one two three', 'one three', [0, 2]],
    ['a word beside the script', 'one two three', 'one um two three', [0, -1, 1, 2]],
    ['only words beside it', 'one two', 'x y z', [-1, -1, -1]],
    ['no script', '', 'x y', [-1, -1]],
    ['no reading', 'one two', '', []],
  ])('with %s', (_, script, heard, positions) => {
    expect(scriptsOf(checkAlignment(words(script), words(heard)))).toEqual(positions)
  })

  test('returns to a passage after a pause, even of few words', () => {
    const [script, heard] = [words('so the cat sat down'), words('so the cat um the cat sat down')]
    const jumpCosts = heard.map((_, index) => (index === 3 ? 0.5 : 3))
    const { runs, units } = checkAlignment(script, heard, { jumpCosts })
    expect(runs.map((run) => run.heard)).toEqual([
      { from: 0, to: 3 },
      { from: 3, to: 8 },
    ])
    expect(units[3]?.kind).toBe('insertion')
    expect(checkAlignment(script, heard).runs).toHaveLength(1)
  })

  test('prefers similar words, but not other numbers', () => {
    const found = alignReading(['meeting', '2014'], ['meetings', '2015'])
    expect(found.cost).toBe(1.5)
  })
})

interface Reading {
  readonly script: string[]
  readonly heard: string[]
}

/** A reading with retakes, skipped passages, misread words and words beside the script. `next`: random, 0 to 1. */
function recordReading(length: number, vocabulary: number, next: () => number): Reading {
  // Some words are more frequent than others, as in a language.
  const word = () => `w${Math.floor(vocabulary * next() * next())}`
  const script = Array.from({ length }, word)
  const heard: string[] = []
  for (let at = 0; at < length; at += 1) {
    const chance = next()
    if (chance < 0.006) at = Math.max(0, at - 5 - Math.floor(next() * 40))
    else if (chance < 0.007) at += Math.floor(next() * 60)
    else if (chance < 0.01) heard.push(...Array.from({ length: Math.floor(next() * 8) }, word))
    const misread = next()
    if (misread < 0.05) heard.push(word())
    else if (misread < 0.96) heard.push(script[at] ?? word())
  }
  return { script, heard }
}

/** Random numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = Math.trunc(state + 0x6d2b79f5)
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('a long reading', () => {
  test('is aligned in a band as in the whole matrix', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 800, max: 2000 }), (seed, length) => {
        const { script, heard } = recordReading(length, 2000, randomNumbers(seed))
        const whole = checkAlignment(script, heard)
        const banded = checkAlignment(script, heard, { maxCells: 0 })
        expect(pathCost({ script, heard }, banded, () => 3)).toBe(banded.cost)
        expect(banded.cost).toBe(whole.cost)
      }),
      { numRuns: 6 },
    )
  })

  test('of any words has a path in the band', () => {
    fc.assert(
      fc.property(texts(300), texts(300), (script, heard) => {
        const { cost } = checkAlignment(script, heard, { maxCells: 0 })
        expect(cost).toBeGreaterThanOrEqual(alignReading(script, heard).cost)
      }),
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateTranslation, type TranslatedLine } from './validate-translation.ts'

const direction = { from: 'en-US', to: 'fr-FR' } as const
const asked = [
  { id: 7, text: 'We were on the way home' },
  { id: 8, text: 'when the rain began.' },
  { id: 9, text: 'Nobody had an umbrella.' },
]
const right: readonly TranslatedLine[] = [
  { id: 7, begins: 'We were', text: 'Nous étions sur le chemin du retour' },
  { id: 8, begins: 'when the', text: "quand la pluie s'est mise à tomber." },
  { id: 9, begins: 'Nobody had', text: "Personne n'avait de parapluie." },
]
const [first, second, third] = right as [TranslatedLine, TranslatedLine, TranslatedLine]
const idsOf = (answered: readonly TranslatedLine[]) => [
  ...validateTranslation(asked, answered, direction).keys(),
]

describe('validateTranslation', () => {
  it.each<[string, readonly TranslatedLine[], number[]]>([
    ['all lines', right, [7, 8, 9]],
    ['in another order', right.toReversed(), [7, 8, 9]],
    ['with one that nobody asked for', [...right, { ...first, id: 99 }], [7, 8, 9]],
    ['with one twice, alike', [...right, first], [7, 8, 9]],
    ['with one twice, in other words', [...right, { ...first, text: 'Nous rentrions' }], [9]],
    ['without the last, which its neighbours may contain', [first, second], [7]],
    ['without the middle', [first, third], []],
    ['with an empty one', [first, { ...second, text: ' ' }, third], []],
    ['moved by one', [first, { ...third, id: 8 }, { ...third, id: 9 }], [7]],
    ['without the words that lines begin with', right.map((line) => ({ ...line, begins: '' })), [7, 8, 9]],
    [
      'with translated first words everywhere',
      right.map((line) => ({ ...line, begins: line.text })),
      [7, 8, 9],
    ],
    [
      'with one left as it was, and translated first words elsewhere',
      [
        { ...first, text: asked[0]?.text ?? '' },
        ...right.slice(1).map((line) => ({ ...line, begins: line.text })),
      ],
      [8, 9],
    ],
    [
      'with a name that both languages have, and translated first words elsewhere',
      right.map((line) => ({ ...line, begins: line.id === 7 ? 'We were' : line.text })),
      [7, 8, 9],
    ],
    [
      'moved by one and more, with the first words of each',
      [
        { ...second, id: 7 },
        { ...third, id: 8 },
      ],
      [],
    ],
    ['with one said twice', [first, { ...second, text: first.text }, third], [9]],
    ['with one left as it was', [{ ...first, text: asked[0]?.text ?? '' }, second, third], [8, 9]],
    ['with one in other letters', [first, { ...second, text: 'когда начался сильный дождь' }, third], [7, 9]],
    ['with a chatty one', [first, second, { ...third, text: third.text.repeat(9) }], [7, 8]],
  ])('%s', (_, answered, ids) => {
    expect(idsOf(answered)).toEqual(ids)
  })

  it('a single line is neither unchanged nor empty, unless it needs no translation', () => {
    const alone = (text: string, source = 'We were on the way home') =>
      validateTranslation([{ id: 7, text: source }], [{ id: 7, begins: '', text }], direction).get(7)
    expect(alone('Nous étions en route')).toBe('Nous étions en route')
    expect(alone('We were on the way home')).toBeUndefined()
    expect(alone('...')).toBeUndefined()
    expect(alone('Christopher Nolan', 'Christopher Nolan')).toBe('Christopher Nolan')
  })

  it('returns only requested lines, each as in the answer', () => {
    const line = fc.record({ id: fc.integer({ min: 5, max: 11 }), begins: fc.string(), text: fc.string() })
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.constantFrom(...right))), (answered) => {
        for (const [id, text] of validateTranslation(asked, answered, direction)) {
          expect(asked.map((one) => one.id)).toContain(id)
          const given = answered.filter((one) => one.id === id)
          expect(given.every((one) => one.text === given[0]?.text && one.text.trim() === text)).toBe(true)
        }
      }),
    )
  })
})

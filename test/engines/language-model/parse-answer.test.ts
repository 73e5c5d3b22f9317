import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseAnswer } from '../../../src/engines/language-model/parse-answer.ts'

const schema = z.object({ lines: z.array(z.object({ id: z.int(), text: z.string() })) })
const answers = fc.record({
  lines: fc.array(fc.record({ id: fc.integer(), text: fc.string({ unit: 'grapheme' }) }), { minLength: 1 }),
})
const chat = fc.stringMatching(/^[\p{L}\s.,!?:'`-]*$/u)

describe('parseAnswer', () => {
  it('finds the answer inside other text', () => {
    fc.assert(
      fc.property(answers, chat, chat, (answer, before, after) => {
        for (const spaces of [0, 2]) {
          const text = `${before}\n${JSON.stringify(answer, null, spaces)}\n${after}`
          expect(parseAnswer(schema, text)).toEqual({ answer })
        }
      }),
    )
  })

  it('finds the only list of a schema without its object', () => {
    fc.assert(
      fc.property(answers, chat, ({ lines }, before) => {
        const items = lines.map((line) => JSON.stringify(line))
        for (const text of [
          `${before}\n[${items.join(', ')}]`,
          items.join('\n'),
          `[\n${items.join(',\n')}\n]`,
        ])
          expect(parseAnswer(schema, text)).toEqual({ answer: { lines } })
      }),
    )
    const wider = schema.extend({ note: z.string() })
    expect(parseAnswer(wider, '[{"id":1,"text":"a"}]')).toHaveProperty('issues')
  })

  it('rejects a truncated list at any length', () => {
    fc.assert(
      fc.property(answers, fc.nat(), ({ lines }, some) => {
        const text = JSON.stringify(lines)
        expect(parseAnswer(schema, text.slice(0, some % text.length))).toHaveProperty('issues')
      }),
    )
  })

  it('rejects a truncated answer at any length', () => {
    fc.assert(
      fc.property(answers, fc.nat(), (answer, some) => {
        const text = JSON.stringify(answer)
        const cut = text.slice(0, some % text.length)
        expect(parseAnswer(schema, cut)).toHaveProperty('issues')
      }),
    )
  })

  it('takes linear time for text of braces', () => {
    for (const text of [
      '{'.repeat(1e6),
      '{"'.repeat(5e5),
      '{}'.repeat(5e5),
      '{ '.repeat(1e5) + '}'.repeat(1e5),
    ]) {
      const begun = performance.now()
      expect(parseAnswer(schema, text)).toHaveProperty('issues')
      expect(performance.now() - begun).toBeLessThan(5000)
    }
  })
})

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { type LanguageModel, NoUsableAnswer } from '../language-model/language-model.ts'
import { type RewriteRequest, rewriteLines, rewriteLinesKind } from './rewrite-lines.ts'

const pair = { from: 'zh-CN', to: 'en-US' }

const askedLines = z.object({
  lines: z.array(
    z.object({
      ...{ id: z.int(), source: z.string(), text: z.string(), characters: z.int(), change: z.string() },
      ...{ before: z.string().optional(), after: z.string().optional() },
    }),
  ),
})
type Asked = z.infer<typeof askedLines>['lines']
type Answered = readonly { readonly id: number; readonly text: string }[]

/** A model that answers here; its questions are kept. */
function modelThat(answers: (lines: Asked) => Answered, inputTokens = 4000) {
  const asked: { readonly lines: Asked; readonly temperature: number }[] = []
  const model: LanguageModel = {
    ...{ name: 'small', remembers: false, contextTokens: 8192, concurrency: 2 },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    async ask({ kind: { schema }, input, temperature = 0 }) {
      const { lines } = askedLines.parse(input)
      asked.push({ lines, temperature })
      return schema.parse({ lines: answers(lines) })
    },
    inputTokenBudget: () => inputTokens,
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { asked, model }
}

const long: RewriteRequest = {
  ...{ index: 1, source: '我们今天不去了。', budgetChars: 22, direction: 'shorter' },
  text: 'As a matter of fact we are not going there today.',
}
const short: RewriteRequest = {
  ...{ index: 3, source: '我真的很喜欢这里的天气。', budgetChars: 40, direction: 'longer' },
  text: 'I like it.',
}
const texts = ['Hello.', long.text, 'Fine.', short.text]

async function rewrite(lines: readonly RewriteRequest[], model: LanguageModel, round = 0) {
  const { signal } = new AbortController()
  return await rewriteLines(lines, pair, { model, signal, texts, round })
}

describe('rewriteLines', () => {
  it('asks for the lengths with the neighbours, and returns the new texts by index', async () => {
    const { asked, model } = modelThat(() => [
      { id: 2, text: "We're not going today." },
      { id: 4, text: 'I really like the weather in this place.' },
    ])
    expect(await rewrite([long, short], model)).toEqual(
      new Map([
        [1, "We're not going today."],
        [3, 'I really like the weather in this place.'],
      ]),
    )
    expect(asked).toEqual([
      {
        temperature: 0,
        lines: [
          {
            ...{ id: 2, source: long.source, text: long.text, characters: 22, change: 'shorter' },
            ...{ before: 'Hello.', after: 'Fine.' },
          },
          {
            ...{ id: 4, source: short.source, text: short.text, characters: 40, change: 'longer' },
            before: 'Fine.',
          },
        ],
      },
    ])
  })

  it.each([
    ['is not shorter', long, 'In fact, we will not be going to that place today.'],
    ['is too short to mean the same', long, 'No.'],
    ['is in the source language', long, '我们今天不去了'],
    ['is empty', long, ' '],
    ['has only signs', long, '...... ...... ......'],
    ['is not longer', short, 'I like.'],
    ['is far longer than requested', short, 'I like it here '.repeat(10)],
  ])('leaves a line whose rewriting %s', async (_, line, text) => {
    const { model } = modelThat(([one]) => [{ id: one?.id ?? 0, text }])
    expect(await rewrite([line], model)).toEqual(new Map())
  })

  it('removes what models add to a line, and ignores lines that were not asked', async () => {
    const { model } = modelThat(() => [
      { id: 2, text: '<b>We are not going</b>\ntoday.' },
      { id: 3, text: 'Well, fine.' },
    ])
    expect(await rewrite([long], model)).toEqual(new Map([[1, 'We are not going today.']]))
  })

  it.each([
    ['has no usable answer', new NoUsableAnswer('small declines', { hint: '' })],
    ['is busy', new MediaError(6402, 'small is busy')],
  ])('leaves lines unchanged when the model %s', async (_, error) => {
    const { model } = modelThat(() => {
      throw error
    })
    expect(await rewrite([long, short], model)).toEqual(new Map())
  })

  it('passes on an abort and errors that are bugs', async () => {
    const bug = modelThat(() => {
      throw new TypeError('a bug')
    })
    await expect(rewrite([long], bug.model)).rejects.toThrow('a bug')
    const stop = new AbortController()
    const { model } = modelThat(() => {
      stop.abort(new Error('stopped'))
      throw new MediaError(6402, 'late')
    })
    const options = { model, signal: stop.signal, texts, round: 0 }
    await expect(rewriteLines([long], pair, options)).rejects.toThrow('stopped')
  })

  it('splits many lines, and asks for another answer in a later round', async () => {
    const lines = Array.from({ length: 45 }, (_, index) => ({ ...long, index }))
    const answers = (asked: Asked) => asked.map(({ id }) => ({ id, text: "We're not going today." }))
    const large = modelThat(answers)
    expect((await rewrite(lines, large.model, 1)).size).toBe(45)
    expect(large.asked.map(({ lines: { length }, temperature }) => [length, temperature])).toEqual([
      [20, 0.7],
      [20, 0.7],
      [5, 0.7],
    ])
    const small = modelThat(answers, 200)
    expect((await rewrite(lines, small.model)).size).toBe(45)
    expect(Math.max(...small.asked.map(({ lines: { length } }) => length))).toBeLessThan(5)
  })
})

describe('the check of an answer', () => {
  const input = {
    ...pair,
    lines: [
      { id: 2, source: long.source, text: long.text, characters: 22, change: 'shorter' as const },
      { id: 4, source: short.source, text: short.text, characters: 40, change: 'longer' as const },
    ],
  }

  it('names each line without a usable rewriting, with its lengths', () => {
    const answer = { lines: [{ id: 2, text: "We're not going today." }] }
    expect(rewriteLinesKind.check(input, answer)).toEqual({
      isUsable: true,
      problems: [
        'lines: no usable rewriting of id 4 (missing; it had 10, and should have about 40); a shorter line has fewer characters than before, a longer one more, both in American English',
      ],
    })
  })

  it('rejects an answer without any usable line', () => {
    const answer = { lines: [{ id: 2, text: long.text }] }
    expect(rewriteLinesKind.check(input, answer)).toMatchObject({
      isUsable: false,
      problems: [
        expect.stringContaining('id 2 (49 characters; it had 49, and should have about 22), 4 (missing'),
      ],
    })
  })
})

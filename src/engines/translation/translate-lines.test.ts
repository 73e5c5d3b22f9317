import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { type LanguageModel, NoUsableAnswer } from '../language-model/language-model.ts'
import { translateLines } from './translate-lines.ts'

type Lines = readonly { readonly id: number; readonly text: string }[]

/** A model that is asked here, one question after the other or more at once; what it is asked is kept. */
function modelThat(answers: (lines: Lines, temperature: number) => Lines | Promise<Lines>, atOnce = 1) {
  const asked: { readonly ids: readonly number[]; readonly temperature: number }[] = []
  const model: LanguageModel = {
    ...{ name: 'small', remembers: false, contextTokens: 8192, concurrency: atOnce },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    async ask({ kind: { name, schema }, input, temperature = 0 }) {
      if (name === 'summarize_lines') return schema.parse({ summary: 'Somebody counts.', terms: [] })
      const { lines } = asInput.parse(input)
      asked.push({ ids: lines.map(({ id }) => id), temperature })
      return schema.parse({ lines: await answers(lines, temperature) })
    },
    inputTokenBudget: () => 4000,
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { asked, model }
}

const asInput = z.object({ lines: z.array(z.object({ id: z.int(), text: z.string() })) })
const rightly = (lines: Lines) => lines.map(({ id, text }) => ({ id, text: `译文${text}` }))
const without = (lines: Lines, id: number) => lines.filter((line) => line.id !== id)
const busy = () => new MediaError(6402, 'small is busy')
const linesOf = (count: number) => Array.from({ length: count }, (_, at) => `Line ${at + 1}`)

async function translate(lines: readonly string[], model: LanguageModel) {
  const { signal } = new AbortController()
  const progress = { signal, onShare: () => undefined }
  return await translateLines(lines, { from: 'en-US', to: 'zh-CN' }, { model, ...progress })
}

describe('a service', () => {
  it('that fails is asked at most three more questions, then the work fails', async () => {
    const { asked, model } = modelThat((lines) => {
      if (asked.length > 8) throw busy()
      return rightly(lines)
    })
    await expect(translate(linesOf(800), model)).rejects.toMatchObject({
      code: 6402,
      message: 'small is busy',
    })
    expect(asked).toHaveLength(11)
  })

  it('that fails does not count as recovered after a late response to an earlier question', async () => {
    const late = Promise.withResolvers<void>()
    const { asked, model } = modelThat(async (lines) => {
      const question = asked.length
      if (question === 2) await late.promise
      if (question <= 2) return rightly(lines)
      if (question === 5) {
        late.resolve()
        await nextTurn()
      }
      throw busy()
    }, 2)
    await expect(translate(linesOf(800), model)).rejects.toMatchObject({ message: 'small is busy' })
    expect(asked).toHaveLength(6)
  })

  it('that fails does not count as recovered after a response that was in progress', async () => {
    const turns = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const { asked, model } = modelThat(async (lines) => {
      const question = asked.length
      await turns[question - 1]?.promise
      if ([2, 3, 5].includes(question)) throw busy()
      return rightly(lines)
    }, 4)
    const settle = async () => {
      while (asked.length < 4) await nextTurn()
      for (const question of [1, 2, 4, 3, 5]) {
        turns[question - 1]?.resolve()
        await nextTurn()
      }
    }
    const [translated] = await Promise.allSettled([translate(linesOf(200), model), settle()])
    expect(translated).toMatchObject({ status: 'rejected', reason: { code: 6402 } })
    expect(asked).toHaveLength(5)
  })

  it('that fails at the last line fails the work', async () => {
    const { model } = modelThat((lines) => {
      if (lines.some(({ id }) => id === 400)) throw busy()
      return rightly(lines)
    })
    await expect(translate(linesOf(400), model)).rejects.toMatchObject({ code: 6402 })
  })

  it('that rejects its key is not asked again', async () => {
    const { asked, model } = modelThat(() => {
      throw new MediaError(6401, 'small refused its key', { retryable: false })
    })
    await expect(translate(linesOf(400), model)).rejects.toMatchObject({ message: 'small refused its key' })
    expect(asked).toHaveLength(1)
  })

  it('that recovers is asked for the remaining lines', async () => {
    const { asked, model } = modelThat((lines) => {
      if (asked.length === 2) throw busy()
      return rightly(lines)
    })
    const { lines } = await translate(linesOf(400), model)
    expect(lines).toEqual(linesOf(400).map((line) => `译文${line}`))
    const again = asked.slice(10).flatMap(({ ids }) => ids)
    expect(again).toEqual(asked[1]?.ids)
  })
})

describe('a model', () => {
  it('gets the length that the speech of each line may have', async () => {
    const questions: { readonly instructions: string; readonly lines: unknown }[] = []
    const { model } = modelThat(rightly)
    const listening: LanguageModel = {
      ...model,
      ask(question) {
        questions.push({ instructions: question.instructions, lines: question.input['lines'] })
        return model.ask(question)
      },
    }
    const { signal } = new AbortController()
    const options = { model: listening, signal, onShare: () => undefined }
    const direction = { from: 'en-US', to: 'zh-CN' }
    await translateLines(['One', 'Two'], direction, { ...options, lengths: [4, undefined] })
    await translateLines(['One', 'Two'], direction, options)
    expect(questions.map(({ lines }) => lines)).toEqual([
      [
        { id: 1, text: 'One', characters: 4 },
        { id: 2, text: 'Two' },
      ],
      [
        { id: 1, text: 'One' },
        { id: 2, text: 'Two' },
      ],
    ])
    const spoken = questions.map(({ instructions }) => /field characters/.test(instructions))
    expect(spoken).toEqual([true, false])
  })

  it('is not asked the same question twice', async () => {
    const { asked, model } = modelThat((lines, temperature) => (temperature > 0 ? rightly(lines) : []))
    const { lines, wasAskedAgain } = await translate(['One', 'Two'], model)
    expect([lines, wasAskedAgain]).toEqual([['译文One', '译文Two'], true])
    expect(asked).toEqual([
      { ids: [1, 2], temperature: 0 },
      ...[1, 2].map((id) => ({ ids: [id], temperature: 0 })),
      ...[1, 2].map((id) => ({ ids: [id], temperature: 0.7 })),
    ])
  })

  it('without a translation of some lines leaves them untranslated', async () => {
    const { model } = modelThat((lines) => {
      if (lines.some(({ id }) => id === 7)) throw new NoUsableAnswer('small declines to answer', { hint: '' })
      return rightly(without(lines, 9))
    })
    const { lines } = await translate(linesOf(60), model)
    const left = [...lines.keys()].filter((at) => lines[at] === undefined)
    expect(left).toEqual([6, 8])
  })

  it('without a translation of more than a tenth fails the work', async () => {
    const { model } = modelThat((lines) => rightly(lines).filter(({ id }) => id % 8 > 0))
    await expect(translate(linesOf(60), model)).rejects.toMatchObject({
      code: 6401,
      message: 'small gave no usable translation of 7 of 60 lines',
    })
  })

  it('without any valid answer is not asked for every line', async () => {
    const { asked, model } = modelThat(() => [])
    await expect(translate(linesOf(2000), model)).rejects.toMatchObject({ code: 6401 })
    expect(asked).toHaveLength(4 * 25)
  })
})

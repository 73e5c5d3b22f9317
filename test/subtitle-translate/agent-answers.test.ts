import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../tools/index.ts'
import { askingClient } from '../questions/asking-client.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { type FinishedTask, srtOf, startTranslationService } from './translation-service.ts'
import { correctAnswer, faults, translatingModel } from './translator.ts'

const type = 'subtitle_translate'
let client: ReturnType<typeof askingClient>

type Answer = (lines: readonly { readonly id: number; readonly text: string }[]) => unknown

/** Translates a file with an agent that answers every question with a function. */
async function translateByAgent(
  name: string,
  content: string,
  { request, answer }: { readonly request: object; readonly answer: Answer },
): Promise<Omit<FinishedTask, 'name' | 'bytes'>> {
  const before = await client.balance()
  const { data: file } = await client.upload(name, content)
  const body = { file_id: file.file_id, language: 'en-US', translate_language: 'zh-CN', ...request }
  const { data: created } = await client.create(type, body)
  const { task_id: id } = created
  for (;;) {
    const { data: task } = await client.waiting(type, id)
    if (task.questions_open === undefined) break
    const { questions } = (await client.questions(id)).data
    const answers = questions.map(({ question_id, input }) => ({
      question_id,
      answer: answer(input['lines'] as Parameters<Answer>[0]),
    }))
    expect((await client.answer(id, answers)).status).toBe(200)
  }
  const { data } = await client.ended(type, id)
  const output = data.output_result ?? {}
  const subtitles = output['subtitle_file_id']
  const text = typeof subtitles === 'string' ? Buffer.from(await client.download(subtitles)).toString() : ''
  return { status: data.status, output, text, cost: before - (await client.balance()) }
}

const lines = [
  'We were on the way',
  'to the station.',
  'Christopher Nolan',
  'Did she come back?',
  '...',
  'I have never seen it.',
  'Then let us go home.',
  'It was late.',
]

/** What does not name the answerer. */
function comparable({
  status,
  output,
  text,
  cost,
}: Pick<FinishedTask, 'status' | 'output' | 'text' | 'cost'>) {
  const ids = new Set(['error', 'subtitle_file_id', 'subtitle_file_download_url', 'translator'])
  const facts = Object.fromEntries(Object.entries(output).filter(([field]) => !ids.has(field)))
  const { code, retryable } = (output['error'] ?? {}) as {
    readonly code?: number
    readonly retryable?: boolean
  }
  return { status, text, cost, facts, code, retryable }
}

const isSingle = (asked: readonly unknown[]) => asked.length === 1
const mistakes: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => [
      `${name}, single lines correct`,
      (asked: Parameters<Answer>[0]) => {
        const right = correctAnswer(asked)
        return isSingle(asked) ? { lines: right } : fault(right, Math.floor(right.length / 2))
      },
    ]),
  ),
  'another object, always': () => ({ translation: 'all of it' }),
  'the original, always': (asked) => ({ lines: correctAnswer(asked, (text) => text) }),
  'text without an object, always': () => 'I would rather not.',
  'a truncated answer, single lines correct': (asked) => {
    const whole = JSON.stringify({ lines: correctAnswer(asked) })
    return isSingle(asked) ? whole : whole.slice(0, whole.length / 2)
  },
}

const request = { line_mode: 'keep', strip_punctuation: false }
const content = srtOf(lines)
const byModel = new Map<string, FinishedTask>()

// One after the other: services of one process share their configured model.
describe('a configured model', () => {
  const configured = startTranslationService()

  it.each(Object.entries(mistakes))('%s', async (name, answer) => {
    configured.model.says = translatingModel(answer)
    const result = await configured.translate(`${name}.srt`, content, request)
    expect(['completed', 'failed']).toContain(result.status)
    byModel.set(name, result)
  })
})

describe('an agent receives the result that a configured model with the same mistakes does', () => {
  let asking: TestService
  beforeAll(async () => {
    asking = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
    })
    client = askingClient(await asking.account(10_000))
  })
  afterAll(() => asking[Symbol.asyncDispose]())

  it.each(Object.entries(mistakes))('%s', async (name, answer) => {
    const expected = byModel.get(name)
    if (!expected) throw new Error('the model gave no result')
    const byAgent = await translateByAgent(`${name}.srt`, content, { request, answer })
    expect(comparable(byAgent)).toEqual(comparable(expected))
  })
})

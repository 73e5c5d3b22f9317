import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../tools/index.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import { startAgentSession, type ConnectedAgent } from '../mcp/agent-session.ts'
import { answerUntilEnded, type AskedLines } from '../mcp/answering-agent.ts'
import type { ToolResponse } from '../mcp/stdio-client.ts'
import { askingClient } from '../questions/asking-client.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { startTranslationRuns } from './run-translation.ts'
import { type FinishedTask, srtOf } from './translation-service.ts'
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
  'a truncated answer, single lines correct': (asked) => {
    const whole = JSON.stringify({ lines: correctAnswer(asked) })
    return isSingle(asked) ? whole : whole.slice(0, whole.length / 2)
  },
  'another object, always': () => ({ translation: 'all of it' }),
  'the original, always': (asked) => ({ lines: correctAnswer(asked, (text) => text) }),
  'text without an object, always': () => 'I would rather not.',
}

const request = { line_mode: 'keep', strip_punctuation: false }
/** Subtitles of its own for each mistake, as equal requests return finished results. */
const contentOf = (name: string) =>
  srtOf([...lines.slice(0, -1), `It was late for the ${Object.keys(mistakes).indexOf(name) + 1} of us.`])
const made = sampleCases(Object.entries(mistakes), 2)
const byModel = new Map<string, FinishedTask>()

// One after the other: a process has one configured model.
describe('a configured model', () => {
  const configured = startTranslationRuns()

  it.each(made)('%s', async (name, answer) => {
    configured.model.says = translatingModel(answer)
    const result = await configured.translate(`${name}.srt`, contentOf(name), request)
    expect(['completed', 'failed']).toContain(result.status)
    byModel.set(name, result)
  })

  it('fails the task without a charge if it always repeats a mistake', () => {
    expect(expectedResult('text without an object, always')).toMatchObject({ status: 'failed', cost: 0 })
  })
})

function expectedResult(name: string): FinishedTask {
  const result = byModel.get(name)
  if (!result) throw new Error('the model gave no result')
  return result
}

describe('an agent receives the result that a configured model with the same mistakes does', () => {
  let asking: TestService
  beforeAll(async () => {
    asking = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
    })
    client = askingClient(await asking.account(10_000))
  })
  afterAll(() => asking[Symbol.asyncDispose]())

  it.each(made)('%s', async (name, answer) => {
    const expected = expectedResult(name)
    const byAgent = await translateByAgent(`${name}.srt`, contentOf(name), { request, answer })
    expect(comparable(byAgent)).toEqual(comparable(expected))
  })
})

/** Answers a question of the tool, whose lines are a table. */
function answerTable({ question_id, input }: AskedLines, answer: Answer) {
  const { columns, rows } = input.lines
  const asked: unknown = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
  return { question_id, answer: answer(asked as Parameters<Answer>[0]) }
}

/** The end of a task over MCP as HTTP returns it. */
async function readEnd({ data }: ToolResponse): Promise<Pick<FinishedTask, 'status' | 'output' | 'text'>> {
  const { status, output = {}, error, files = [] } = data
  const [file] = files as { readonly path: string }[]
  return {
    status: String(status),
    output: error === undefined ? (output as FinishedTask['output']) : { error },
    text: file ? await readFile(file.path, 'utf8') : '',
  }
}

/** With `npm run test:soak`: over HTTP, an agent answers the same questions. */
const transports = soakSize<readonly string[]>([], ['stdio'])

describe.each(transports)(
  'an agent over %s receives the result that a configured model with the same mistakes does',
  () => {
    const some = sampleCases(made, 5)
    const ends = new Map<string, Awaited<ReturnType<typeof readEnd>>>()
    let cost: number
    const credits = async (agent: ConnectedAgent) => {
      const { data } = await agent.call('service_status')
      return (data['service'] as { readonly credits: { readonly balance: number } }).credits.balance
    }

    beforeAll(async () => {
      await using session = await startAgentSession()
      const agent = await session.shared('modern')
      const before = await credits(agent)
      const few = limitConcurrency(5)
      const translate = async ([name, answer]: readonly [string, Answer]) => {
        const path = join(session.workspace, `${name}.srt`)
        await writeFile(path, contentOf(name))
        const languages = { language: 'en-US', translate_language: 'zh-CN' }
        const first = await agent.call(type, { file_id: path, ...languages, ...request, wait_seconds: 45 })
        const { reply } = await answerUntilEnded(agent, first, (question) => answerTable(question, answer))
        ends.set(name, await readEnd(reply))
      }
      await Promise.all(some.map((mistake) => few(() => translate(mistake))))
      cost = before - (await credits(agent))
    })

    it.each(some)('%s', (name) => {
      const expected = expectedResult(name)
      const end = ends.get(name)
      if (!end) throw new Error('the agent got no result')
      // Its price is part of the sum below.
      expect(comparable({ ...end, cost: expected.cost })).toEqual(comparable(expected))
    })

    it('at the same price for all', () => {
      const expected = some.map(([name]) => expectedResult(name).cost)
      expect(cost).toBe(expected.reduce((sum, one) => sum + one, 0))
    })
  },
)

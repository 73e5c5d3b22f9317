import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from '../mcp/agent-session.ts'
import type { ToolResponse } from '../mcp/stdio-client.ts'
import { described, drawnImage, type, type GivenImage } from './describing-model.ts'

/** A question about images, as an agent reads it. */
interface ImageQuestion {
  readonly question_id: string
  readonly input: { readonly images: { readonly rows: readonly (readonly [id: number])[] } }
  readonly images?: number
  readonly problems?: readonly string[]
}

const questionsOf = ({ data }: ToolResponse): ImageQuestion[] =>
  ((data['questions'] ?? []) as { readonly questions: readonly ImageQuestion[] }[]).flatMap(
    ({ questions }) => questions,
  )

const idsOf = ({ input }: ImageQuestion): number[] => input.images.rows.map(([id]) => id)

/** Answers all questions until the task has ended. */
async function answerAll(
  agent: ConnectedAgent,
  first: ToolResponse,
  view: (id: number, call: number) => GivenImage | undefined,
) {
  const asked: ImageQuestion[] = []
  let reply = first
  for (let call = 0; ['queued', 'processing'].includes(String(reply.data['status'])); call += 1) {
    const { task_id } = reply.data
    const questions = questionsOf(reply)
    asked.push(...questions)
    const answers = questions.map((question) => ({
      question_id: question.question_id,
      answer: { images: idsOf(question).flatMap((id) => view(id, call) ?? []) },
    }))
    reply =
      answers.length > 0
        ? await agent.call('answer_questions', { task_id, answers, wait_seconds: 45 })
        : await agent.call('get_task', { task_id, wait_seconds: 45 })
  }
  return { reply, asked }
}

const mirror = testdata('models')

describe.skipIf(mirror === undefined)('an agent describes images (REELWRIGHT_TESTDATA)', () => {
  let session: AgentSession
  let agent: ConnectedAgent
  beforeAll(async () => {
    session = await startAgentSession()
    await mkdir(session.dataDir)
    const settings = JSON.stringify({ models_mirror: mirror })
    await writeFile(join(session.dataDir, 'reelwright.config.json'), settings)
    agent = await session.shared('modern')
    await mkdir(join(session.workspace, 'photos'))
    for (let number = 1; number <= 6; number += 1)
      await writeFile(join(session.workspace, `photos/${number}.png`), drawnImage(number))
  })
  afterAll(() => session[Symbol.asyncDispose]())
  const files = (...numbers: number[]) => numbers.map((number) => ({ file_id: `photos/${number}.png` }))

  test('four at a time, sees them, and reads which to use', async () => {
    const first = await agent.call(type, { input: files(1, 2, 3, 4, 5), wait_seconds: 45 })
    expect(first.data['questions']).toMatchObject([{ kind: 'describe_images' }])
    const [question] = questionsOf(first)
    expect(question).toMatchObject({ images: 4 })
    const { reply, asked } = await answerAll(agent, first, (id) =>
      described(id, { mark: 10 * id, added: id === 2 ? ['logo'] : [] }),
    )
    expect(asked.map(idsOf)).toEqual([[1, 2, 3, 4], [5]])
    expect(reply.data).toMatchObject({
      status: 'completed',
      output: { describer: 'agent', usage: { images: 5, total: 5 } },
    })
    const { next_step: next } = reply.data
    expect(next).toContain('photos/5.png (50), photos/4.png (40)')
    expect(next).toContain('photos/2.png (watermark)')
  })

  test('by names alone, and is asked again for the image that it forgot', async () => {
    const input = ['photos/6.png', 'photos/2.png', 'photos/3.png']
    const first = await agent.call(type, { input, wait_seconds: 45 })
    const { reply, asked } = await answerAll(agent, first, (id, call) =>
      id === 2 && call === 0 ? undefined : described(id),
    )
    expect(reply.data['status']).toBe('completed')
    expect(asked.map(idsOf)).toEqual([[1, 2, 3], [2]])
  })

  test('without a usable answer: the task fails and is refunded', async () => {
    const balance = async () =>
      ((await agent.call('service_status')).data['service'] as { readonly credits: unknown }).credits
    const before = await balance()
    const first = await agent.call(type, { input: files(6), wait_seconds: 45 })
    const { reply, asked } = await answerAll(agent, first, (id) => described(id, { desc: 'A boat.' }))
    expect(asked[1]?.problems).toEqual(['image 1: desc is not in Simplified Chinese'])
    expect(reply.data).toMatchObject({
      status: 'failed',
      error: { code: 6401, message: expect.stringMatching(/^input\[0\]: .*no usable answer/) },
    })
    expect(await balance()).toEqual(before)
  })
})

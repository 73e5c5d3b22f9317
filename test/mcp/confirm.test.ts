import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createClips, eras, startInProcessAgent, type Agent, type Era } from './stdio-client.ts'

/** Connects an agent with confirmation above 5 credits and a price of 12. `reply` returns the user's answer. */
async function startWithConfirmation(
  era: Era,
  reply: () => ElicitResult,
): Promise<{ agent: Agent; questions: ElicitRequest['params'][] }> {
  const capabilities = { elicitation: { form: {} } }
  const agent = await startInProcessAgent(era, { capabilities }, { confirmAbove: 5 })
  agent.service.price = 12
  const questions: ElicitRequest['params'][] = []
  agent.client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params)
    return reply()
  })
  return { agent, questions }
}

const accepted: ElicitResult = { action: 'accept', content: { confirm: true } }

const creations = ({ service }: Agent): string[] =>
  service.requests.filter((request) => request === 'POST /task/video_split_screen')

describe.each(eras)('tasks above confirm_above_credits, %s client', (era) => {
  test('start after the user accepts the price', async () => {
    const { agent, questions } = await startWithConfirmation(era, () => accepted)
    await using _ = agent
    const input = await createClips(agent)
    const { data } = await agent.call('video_split_screen', input)
    expect(data).toMatchObject({ status: 'completed' })
    expect(questions).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/12 credits.*above 5 credits/) }),
    ])
    expect(creations(agent)).toHaveLength(1)

    agent.service.price = 5
    expect((await agent.call('video_split_screen', input)).data).toMatchObject({ status: 'completed' })
    expect(questions, 'no question up to the limit').toHaveLength(1)

    agent.service.price = 12
    agent.service.onCreate = () => undefined
    const started = await agent.call('video_split_screen', { ...input, wait_seconds: 0, force_new: true })
    const again = await agent.call('video_split_screen', { ...input, wait_seconds: 0 })
    expect(again.data['task_id']).toBe(started.data['task_id'])
    expect(questions, 'joining a running task costs nothing').toHaveLength(2)
  })

  test('do not start after any other answer', async () => {
    const answers: ElicitResult[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: false } },
    ]
    const { agent, questions } = await startWithConfirmation(
      era,
      () => answers[questions.length - 1] ?? accepted,
    )
    await using _ = agent
    const input = await createClips(agent)
    for (let attempt = 0; attempt < answers.length; attempt += 1) {
      const { isError, data } = await agent.call('video_split_screen', input)
      expect([isError, data]).toEqual([
        false,
        {
          task_type: 'video_split_screen',
          status: 'declined',
          progress: 0,
          price_credits: 12,
          next_step: expect.stringContaining('nothing was charged'),
        },
      ])
    }
    expect([questions.length, creations(agent)]).toEqual([3, []])
  })

  test('do not start if the client cannot ask, and the next step is reported', async () => {
    await using agent = await startInProcessAgent(era, {}, { confirmAbove: 5 })
    agent.service.price = 6
    const { data } = await agent.call('video_split_screen', await createClips(agent))
    expect(data).toMatchObject({
      status: 'unconfirmed',
      price_credits: 6,
      next_step: expect.stringMatching(/costs 6 credits.*nothing was charged.*confirm_above_credits/),
    })
    expect(creations(agent)).toEqual([])
  })
})

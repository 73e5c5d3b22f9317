import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createClips, eras, startInProcessAgent, type Agent, type Era } from './stdio-client.ts'

/** An agent whose user is asked above 5 credits, with tasks that cost more; `said` tells what the user says. */
async function startAsked(
  era: Era,
  said: () => ElicitResult,
): Promise<{ agent: Agent; questions: ElicitRequest['params'][] }> {
  const capabilities = { elicitation: { form: {} } }
  const agent = await startInProcessAgent(era, { capabilities }, { confirmAbove: 5 })
  agent.service.price = 12
  const questions: ElicitRequest['params'][] = []
  agent.client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params)
    return said()
  })
  return { agent, questions }
}

const yes: ElicitResult = { action: 'accept', content: { confirm: true } }

const creations = ({ service }: Agent): string[] =>
  service.requests.filter((request) => request === 'POST /task/video_split_screen')

describe.each(eras)('work above confirm_above_credits, %s client', (era) => {
  test('is begun after a yes, which is asked for with the price', async () => {
    const { agent, questions } = await startAsked(era, () => yes)
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
    expect(questions, 'up to the limit nobody is asked').toHaveLength(1)

    agent.service.price = 12
    agent.service.onCreate = () => undefined
    const begun = await agent.call('video_split_screen', { ...input, wait_seconds: 0 })
    const again = await agent.call('video_split_screen', { ...input, wait_seconds: 0 })
    expect(again.data['task_id']).toBe(begun.data['task_id'])
    expect(questions, 'to join what is under way costs nothing').toHaveLength(2)
  })

  test('is not begun after any other answer', async () => {
    const answers: ElicitResult[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: false } },
    ]
    const { agent, questions } = await startAsked(era, () => answers[questions.length - 1] ?? yes)
    await using _ = agent
    const input = await createClips(agent)
    for (let asked = 0; asked < answers.length; asked += 1) {
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

  test('is not begun where the client cannot ask, and the way on is told', async () => {
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

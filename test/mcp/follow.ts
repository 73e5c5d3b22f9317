import type { RealAgent } from './real-agent.ts'
import { takeApart, type Answer } from './stdio-client.ts'

/** A call may start the service first, which takes its time on a busy machine, ms. */
const timeout = 180_000

/** Calls a tool, and asks for its task until that has ended. */
export async function follow(agent: RealAgent, name: string, args: object): Promise<Answer> {
  const request = { name, arguments: { ...args, wait_seconds: 45 } }
  let answer = takeApart(await agent.client.callTool(request, { timeout }))
  while (['queued', 'processing'].includes(String(answer.data['status'])))
    answer = await agent.call('get_task', { task_id: answer.data['task_id'], wait_seconds: 45 })
  return answer
}

/** The calls that a prompt shows, in order. */
export async function callsOf(agent: RealAgent, name: string, args: Record<string, string>) {
  const { messages } = await agent.client.getPrompt({ name, arguments: args })
  const [message] = messages
  const text = message?.content.type === 'text' ? message.content.text : ''
  return [...text.matchAll(/```call\n\s*(\w+) (\{.*\})\n/g)].map(
    ([, tool = '', given = '']) => [tool, JSON.parse(given) as object] as const,
  )
}

import type { ConnectedAgent } from './agent-session.ts'
import { parseToolResult, type ToolResponse } from './stdio-client.ts'

/** Timeout of a call, ms. The first call starts the service, which is slow on a busy machine. */
const timeout = 180_000

/** Calls a tool and polls its task until it has ended. The reply with its end also saves the result. */
export async function callUntilDone(
  agent: ConnectedAgent,
  name: string,
  args: object,
): Promise<ToolResponse> {
  const request = { name, arguments: { ...args, wait_seconds: 45 } }
  let response = parseToolResult(await agent.client.callTool(request, { timeout }))
  while (['queued', 'processing'].includes(String(response.data['status'])))
    response = await agent.call('get_task', {
      ...{ task_id: response.data['task_id'], wait_seconds: 45 },
      ...('save_to' in args && { save_to: args.save_to }),
    })
  return response
}

/** Returns the calls in a prompt, in order. */
export async function promptCalls(agent: ConnectedAgent, name: string, args: Record<string, string>) {
  const { messages } = await agent.client.getPrompt({ name, arguments: args })
  const [message] = messages
  const text = message?.content.type === 'text' ? message.content.text : ''
  return [...text.matchAll(/```call\n\s*(\w+) (\{.*\})\n/g)].map(
    ([, tool = '', json = '']) => [tool, JSON.parse(json) as Record<string, unknown>] as const,
  )
}

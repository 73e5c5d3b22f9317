import type { ConnectedAgent } from './agent-session.ts'
import { parseToolResult, type ToolResponse } from './stdio-client.ts'

/** Timeout of a call, ms. The first call starts the service, which is slow on a busy machine. */
const timeout = 180_000

/** Calls a tool and polls its task, as its next steps ask, until it has ended and its files are saved. */
export async function callUntilDone(
  agent: ConnectedAgent,
  name: string,
  args: object,
): Promise<ToolResponse> {
  const request = { name, arguments: { ...args, wait_seconds: 45 } }
  let response = parseToolResult(await agent.client.callTool(request, { timeout }))
  while (isUnfinished(response))
    response = await agent.call('get_task', {
      ...{ task_id: response.data['task_id'], wait_seconds: 45 },
      ...('save_to' in args && { save_to: args.save_to }),
    })
  return response
}

/** Whether the task of a reply continues, or its files were not saved before the time of the call was over. */
function isUnfinished({ data }: ToolResponse): boolean {
  const isRunning = ['queued', 'processing'].includes(String(data['status']))
  return (
    isRunning || /^Done(?:\. Call get_task|, but the files are not all ready)/.test(String(data['next_step']))
  )
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

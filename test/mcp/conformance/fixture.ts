import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  inputRequired,
  InMemoryServerEventBus,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { createHttpHandler } from '../../../src/mcp/http-server.ts'
import type { Tenant } from '../../../src/mcp/http-tenants.ts'
import { handleTaskExtension, tasksExtension } from '../../../src/mcp/task-extension.ts'
import { openLog } from '../../../src/platform/log.ts'
import { multiRoundTools, elicitedValue } from './multi-round-tools.ts'
import { FixtureTasks, taskTools } from './tasks.ts'
import { plainTools, pngBase64, statelessTools, unknownTool, type FixtureTool } from './tools.ts'

// Tools, resources and prompts that the conformance suite requires, served by the entry of `reelwright mcp --http`.

const prompt = (...content: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: content.map((each) => ({ role: 'user', content: each })),
})
const words = (text: string) => ({ type: 'text', text }) as const

type Arguments = Readonly<Record<string, string>>
const prompts: Readonly<
  Record<
    string,
    { args: string[]; get(args: Arguments, context: ServerContext): GetPromptResult | InputRequiredResult }
  >
> = {
  test_simple_prompt: { args: [], get: () => prompt(words('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => prompt(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    get: ({ resourceUri: uri = '' }) =>
      prompt(
        {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        words('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: {
    args: [],
    get: () =>
      prompt(
        { type: 'image', data: pngBase64, mimeType: 'image/png' },
        words('Please analyze the image above.'),
      ),
  },
  test_input_required_result_prompt: {
    args: [],
    get(_args, context) {
      const userContext = elicitedValue(context, 'user_context', 'context')
      if (userContext !== undefined) return prompt(words(`Context: ${userContext}`))
      const requestedSchema = { type: 'object', properties: { context: { type: 'string' } } } as const
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message: 'What context?', requestedSchema }) },
      })
    },
  },
}

const staticTexts: Readonly<Record<string, string>> = {
  'test://static-text': 'This is the content of the static text resource.',
  'test://watched-resource': 'Watched',
}

function read(uri: string) {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? []
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  }
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: pngBase64 }] }
  const text = staticTexts[uri]
  if (text === undefined) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, mimeType: 'text/plain', text }] }
}

function fixtureTenant(): Tenant {
  const changes = new InMemoryServerEventBus()
  const tasks = new FixtureTasks()
  const tools: Readonly<Record<string, FixtureTool>> = {
    ...plainTools,
    ...statelessTools,
    ...multiRoundTools,
    ...taskTools(tasks),
  }
  return {
    check: async () => undefined,
    isBusy: false,
    buildServer({ era }) {
      const mcp = new McpServer(
        { name: 'reelwright-conformance', version: '0.0.0' },
        {
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            completions: {},
            logging: {},
            ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
          },
        },
      )
      const { server } = mcp
      server.setRequestHandler('tools/list', () => ({
        tools: Object.entries(tools).map(([name, { description, inputSchema = { type: 'object' } }]) => ({
          name,
          description,
          inputSchema: inputSchema as { type: 'object' },
        })),
      }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined
        const changed = (kind: 'tools_list_changed' | 'prompts_list_changed') => changes.publish({ kind })
        return (
          (await tool?.run({ args: params.arguments ?? {}, context, server, era, changed })) ??
          unknownTool(params.name)
        )
      })
      servePrompts(mcp)
      if (era === 'modern') handleTaskExtension(mcp, tasks)
      return mcp
    },
    notify: () => () => undefined,
    changes,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function servePrompts({ server }: McpServer): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { args }]) => ({
      name,
      description: name,
      arguments: args.map((each) => ({ name: each, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const found = prompts[params.name]
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}`)
    return found.get(params.arguments ?? {}, context)
  })
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['test'], total: 1 } }))
  server.setRequestHandler('resources/list', () => ({
    resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'].map((uri) => ({
      uri,
      name: uri,
      description: uri,
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

/** Starts the fixture behind the real entry. The suite sends no key, so a front server adds one, like a proxy. */
export async function startFixture(): Promise<AsyncDisposable & { readonly url: string }> {
  const entry = createHttpHandler({ open: fixtureTenant, clock: Date.now, log: openLog({ level: 'silent' }) })
  const server = createServer((request, response) => {
    request.headers.authorization ??= 'Bearer of-the-suite'
    entry.handle(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await entry.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

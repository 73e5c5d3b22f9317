import { fileURLToPath } from 'node:url'
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type McpRequestContext,
} from '@modelcontextprotocol/server'
import { callTool, callToolAsTask } from './call-tool.ts'
import { completeArgument } from './completions.ts'
import { mediaTaskSource } from './media-tasks.ts'
import { fillPrompt } from './prompts.ts'
import { callLimits, withProtocolErrors } from './call-limits.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import type { McpContext } from './mcp-context.ts'
import { supportsTasks, handleTaskExtension, tasksExtension } from './task-extension.ts'

/** Builds a server for one connection, or for one request of a modern client over HTTP. */
export function buildServer(context: McpContext, { era }: Pick<McpRequestContext, 'era'>): McpServer {
  const { session } = context
  const mcp = new McpServer(
    { name: 'reelwright', title: 'Reelwright', version: session.version },
    {
      capabilities: {
        tools: {},
        prompts: {},
        completions: {},
        resources: { subscribe: true, listChanged: true },
        ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
      },
      instructions: serverInstructions(session),
    },
  )
  handleTools(mcp, context, { era })
  handleResources(mcp, context)
  handleRoots(mcp, context)
  if (era === 'modern') handleTaskExtension(mcp, mediaTaskSource(context))
  mcp.server.setRequestHandler('prompts/list', async () => ({
    prompts: [...(await context.prompts()).values()].map(({ listed }) => listed),
  }))
  mcp.server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = (await context.prompts()).get(params.name)
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}`)
    return appendNote(fillPrompt(prompt, params.arguments), session.delivery.promptNote)
  })
  mcp.server.setRequestHandler('completion/complete', ({ params }) =>
    withProtocolErrors(completeArgument(context, params), context.report),
  )
  return mcp
}

function serverInstructions({ delivery, allowUrls }: McpContext['session']): string {
  return delivery.instructions + (allowUrls ? ' Files may also be given as https URLs.' : '')
}

/** Adds the delivery's note to a prompt, such as that files are given by id instead of path. */
function appendNote({ messages, ...rest }: GetPromptResult, note: string | undefined): GetPromptResult {
  if (note === undefined) return { ...rest, messages }
  return { ...rest, messages: [...messages, { role: 'user', content: { type: 'text', text: note } }] }
}

/** Protocol version that added titles of tools, and links to resources in results. Versions are dates. */
const firstVersionWithTitlesAndLinks = '2025-06-18'

function handleTools(
  { server }: McpServer,
  { session, tools, report }: McpContext,
  { era }: Pick<McpRequestContext, 'era'>,
): void {
  const isOlder = () =>
    era !== 'modern' && (server.getNegotiatedProtocolVersion() ?? '') < firstVersionWithTitlesAndLinks
  server.setRequestHandler('tools/list', () => ({
    tools: tools.listed.map(({ annotations, ...definition }) => ({
      ...definition,
      annotations: { ...(isOlder() && { title: definition.title }), ...annotations },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const call = { tool: tools.find(params.name), given: params }
    const callContext = {
      ...{ mcpReq, limits: callLimits, capabilities: server.getClientCapabilities(), report },
      canReadLinks: !isOlder(),
    }
    const takesTasks = era === 'modern' && supportsTasks(mcpReq)
    return takesTasks ? callToolAsTask(session, call, callContext) : callTool(session, call, callContext)
  })
}

function handleResources({ server }: McpServer, { session, report }: McpContext): void {
  server.setRequestHandler('resources/list', () => withProtocolErrors(listResources(session), report))
  server.setRequestHandler('resources/templates/list', () => listResourceTemplates())
  server.setRequestHandler('resources/read', ({ params }) =>
    withProtocolErrors(readResource(session, params.uri), report),
  )
}

const rootsTimeoutMs = 2000

/** Asks older clients for their roots, the folders they work in; newer ones cannot be asked. */
function handleRoots({ server }: McpServer, { session: { delivery } }: McpContext): void {
  const ask = async (): Promise<readonly string[]> => {
    const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs })
    return roots.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => fileURLToPath(uri))
  }
  server.oninitialized = () => {
    if (server.getClientCapabilities()?.roots) delivery.setRoots?.(ask())
  }
  server.setNotificationHandler('notifications/roots/list_changed', () => delivery.setRoots?.(ask()))
}

import { fileURLToPath } from 'node:url'
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type McpRequestContext,
} from '@modelcontextprotocol/server'
import { callLimits, callTool } from './call-tool.ts'
import { complete } from './completions.ts'
import { mediaTasks } from './media-tasks.ts'
import { taskAnswer } from './task-answer.ts'
import { fillPrompt } from './prompts.ts'
import { told } from './protocol-error.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import type { Studio } from './studio.ts'
import { declaresTasks, serveTaskExtension, tasksExtension } from './task-extension.ts'

/** Builds a server for one connection, or for one request of a modern client over HTTP. */
export function buildServer(studio: Studio, { era }: Pick<McpRequestContext, 'era'>): McpServer {
  const { session } = studio
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
      instructions: instructionsOf(session),
    },
  )
  serveTools(mcp, studio, { era })
  serveResources(mcp, studio)
  serveRoots(mcp, studio)
  if (era === 'modern') serveTaskExtension(mcp, mediaTasks(studio))
  mcp.server.setRequestHandler('prompts/list', () => ({
    prompts: [...studio.prompts.values()].map(({ listed }) => listed),
  }))
  mcp.server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = studio.prompts.get(params.name)
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}`)
    return withNote(fillPrompt(prompt, params.arguments), session.place.promptNote)
  })
  mcp.server.setRequestHandler('completion/complete', ({ params }) =>
    told(complete(studio, params), studio.report),
  )
  return mcp
}

function instructionsOf({ place, allowUrls }: Studio['session']): string {
  return place.instructions + (allowUrls ? ' Files may also be given as https addresses.' : '')
}

/** What a place makes different of the words of a prompt. */
function withNote({ messages, ...rest }: GetPromptResult, note: string | undefined): GetPromptResult {
  if (note === undefined) return { ...rest, messages }
  return { ...rest, messages: [...messages, { role: 'user', content: { type: 'text', text: note } }] }
}

function serveTools(
  { server }: McpServer,
  { session, tools, report }: Studio,
  { era }: Pick<McpRequestContext, 'era'>,
): void {
  server.setRequestHandler('tools/list', () => ({
    tools: tools.listed.map((definition) => ({ ...definition })),
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const call = { tool: tools.find(params.name), given: params }
    const context = { mcpReq, limits: callLimits, capabilities: server.getClientCapabilities(), report }
    const takesTasks = era === 'modern' && declaresTasks(mcpReq)
    return takesTasks ? taskAnswer(session, call, context) : callTool(session, call, context)
  })
}

function serveResources({ server }: McpServer, { session, report }: Studio): void {
  server.setRequestHandler('resources/list', () => told(listResources(session), report))
  server.setRequestHandler('resources/templates/list', () => listTemplates())
  server.setRequestHandler('resources/read', ({ params }) => told(readResource(session, params.uri), report))
}

const rootsTimeoutMs = 2000

/** Older clients tell the folders they work in; newer ones have no such channel. */
function serveRoots({ server }: McpServer, { session: { place } }: Studio): void {
  const ask = async (): Promise<readonly string[]> => {
    const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs })
    return roots.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => fileURLToPath(uri))
  }
  server.oninitialized = () => {
    if (server.getClientCapabilities()?.roots) place.hint?.(ask())
  }
  server.setNotificationHandler('notifications/roots/list_changed', () => place.hint?.(ask()))
}

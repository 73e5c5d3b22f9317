import { fileURLToPath } from 'node:url'
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type McpRequestContext,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { MediaError } from '../contract/errors.ts'
import { callLimits, callTool } from './call-tool.ts'
import { ListeningTransport } from './listening-transport.ts'
import { fillPrompt, loadPrompts, type PromptFile } from './prompts.ts'
import { describeError } from './reply.ts'
import { listResources, listTemplates, readResource, taskUri } from './resources.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { allTools } from './tools/all-tools.ts'
import type { Tool } from './tool.ts'

/** What `reelwright mcp` gives to its server. */
export interface McpServerOptions extends SessionOptions {
  /** Folder of the prompt files. */
  readonly promptsFolder: string
  /** Takes what is nobody's answer: bugs and broken connections. stdout belongs to the protocol. */
  readonly report: (error: unknown) => void
  /** Left out, this process's stdin and stdout. */
  readonly transport?: Transport
}

/** A server that speaks with one client. */
export interface RunningMcpServer {
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

const instructions =
  'A media studio. Give local file paths straight to the tools; files are uploaded and results are saved into the ' +
  'workspace. Long work answers with a task and goes on by itself: follow next_step, usually get_task.'

/** Serves MCP over stdio to 2025-era and 2026-07-28 clients. */
export async function startMcpServer(options: McpServerOptions): Promise<RunningMcpServer> {
  const { report } = options
  const session = openSession(options)
  const shared: Shared = {
    session,
    report,
    tools: allTools(options.operations),
    prompts: await loadPrompts(options.promptsFolder),
    followTasks: followOnce(session),
  }
  const closed = Promise.withResolvers<void>()
  const transport = new ListeningTransport(options.transport ?? new StdioServerTransport(), {
    listens: shared.followTasks,
    closed: () => void session[Symbol.asyncDispose]().then(closed.resolve, closed.reject),
  })
  const stdio = serveStdio((context) => build(shared, context), { transport, onerror: report })
  return { closed: closed.promise, close: () => stdio.close() }
}

interface Shared {
  readonly session: Session
  readonly tools: ReadonlyMap<string, Tool>
  readonly prompts: ReadonlyMap<string, PromptFile>
  readonly report: (error: unknown) => void
  /** From the first subscriber on, tells of every change of a task. */
  readonly followTasks: () => void
}

function followOnce(session: Session): () => void {
  let following = false
  return () => {
    if (following) return
    following = true
    session.feed.follow((task) => session.events.emit('taskChanged', task?.task_id ?? null))
  }
}

function build(shared: Shared, { era }: McpRequestContext): McpServer {
  const { session } = shared
  const mcp = new McpServer(
    { name: 'reelwright', title: 'Reelwright', version: session.version },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true, listChanged: true } },
      instructions,
    },
  )
  serveTools(mcp, shared)
  serveResources(mcp, shared, era)
  serveRoots(mcp, session)
  mcp.server.setRequestHandler('prompts/list', () => ({
    prompts: [...shared.prompts.values()].map(({ listed }) => listed),
  }))
  mcp.server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = shared.prompts.get(params.name)
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}`)
    return fillPrompt(prompt, params.arguments)
  })
  return mcp
}

function serveTools({ server }: McpServer, { session, tools, report }: Shared): void {
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].map(({ definition }) => ({ ...definition })),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(
      session,
      { tool: tools.get(params.name), given: params },
      { mcpReq: context.mcpReq, limits: callLimits, report },
    ),
  )
}

function serveResources(mcp: McpServer, shared: Shared, era: McpRequestContext['era']): void {
  const { server } = mcp
  const { session } = shared
  server.setRequestHandler('resources/list', () => told(listResources(session), shared.report))
  server.setRequestHandler('resources/templates/list', () => listTemplates())
  server.setRequestHandler('resources/read', ({ params }) =>
    told(readResource(session, params.uri), shared.report),
  )
  // Modern clients subscribe through subscriptions/listen, where the SDK keeps the set.
  const subscribed = new Set<string>()
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    shared.followTasks()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  // An instance that only answered a probe is no longer connected.
  session.events.on('taskChanged', (taskId) => {
    if (!mcp.isConnected()) return
    const known = era === 'modern' ? [...session.tasks.entries()].map(([id]) => taskUri(id)) : [...subscribed]
    const changed = taskId === null ? known : [taskUri(taskId)]
    for (const uri of changed.filter((each) => era === 'modern' || subscribed.has(each))) {
      server.sendResourceUpdated({ uri }).catch(shared.report)
    }
  })
  session.events.on('resourcesChanged', () => {
    if (mcp.isConnected()) server.sendResourceListChanged().catch(shared.report)
  })
}

/** Failures as the protocol tells them: of a bug nothing but that there was one. */
async function told<T>(work: Promise<T>, report: Shared['report']): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (!(error instanceof MediaError)) report(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, describeError(error))
  }
}

const rootsTimeoutMs = 2000

/** Older clients tell the folders they work in; newer ones have no such channel. */
function serveRoots({ server }: McpServer, session: Session): void {
  const ask = async (): Promise<readonly string[]> => {
    const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs })
    return roots.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => fileURLToPath(uri))
  }
  server.oninitialized = () => {
    if (server.getClientCapabilities()?.roots) session.workspace.hint(ask())
  }
  server.setNotificationHandler('notifications/roots/list_changed', () => session.workspace.hint(ask()))
}

import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { createClient } from '../../src/client/client.ts'
import type { OperationModule } from '../../src/contract/operation.ts'
import { startMcpHttpServer } from '../../src/mcp/http-server.ts'
import { openLog } from '../../src/platform/log.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { parseToolResult, type ToolResponse, type Era } from './stdio-client.ts'

/** A real service and an MCP server over HTTP in front of it. */
export interface HttpServerFixture extends AsyncDisposable {
  readonly url: string
  readonly service: TestService
  /** Advances the clock, ms. */
  advanceClock(ms: number): void
  /** Connects the SDK's client. */
  connect(era: Era, account: Pick<TestAccount, 'apiKey'>, options?: ClientOptions): Promise<HttpAgent>
  sweep(): Promise<void>
  close(): Promise<void>
}

export interface HttpAgent extends AsyncDisposable {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  call(name: string, args?: Record<string, unknown>): Promise<ToolResponse>
}

interface Options {
  readonly publicUrl?: string
  /** Service URL that the server connects to. Default: the real one. */
  readonly baseUrl?: string
  /** Default: the test operation that copies files. */
  readonly modules?: readonly OperationModule[]
}

/** Starts the service and the MCP server. */
export async function startHttpServerFixture({
  publicUrl,
  baseUrl,
  modules = [fakeModule],
}: Options = {}): Promise<HttpServerFixture> {
  const service = await startTestService({ operations: modules })
  let offsetMs = 0
  const server = await startMcpHttpServer({
    version: '0.0.0-test',
    operations: modules.map(({ operation }) => operation),
    connectorFor: (apiKey) => ({
      connect: async () => createClient({ baseUrl: baseUrl ?? service.baseUrl, apiKey }),
    }),
    serviceAddress: async () => service.baseUrl,
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    promptsFolder: join(import.meta.dirname, '../../prompts'),
    clock: () => Date.now() + offsetMs,
    log: openLog({ file: join(service.dataDir, 'mcp-log') }),
  })
  return {
    url: server.url,
    service,
    advanceClock: (ms) => void (offsetMs += ms),
    async connect(era, { apiKey }, options = {}) {
      const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
      const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
      const requestInit = { headers: { authorization: `Bearer ${apiKey}` } }
      const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit })
      await client.connect(transport)
      return {
        client,
        transport,
        call: async (name, args = {}) => parseToolResult(await client.callTool({ name, arguments: args })),
        [Symbol.asyncDispose]: () => client.close(),
      }
    },
    sweep: () => server.sweep(),
    close: () => server.close(),
    async [Symbol.asyncDispose]() {
      await server.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** Metadata that newer clients send with every request. */
export function requestMeta(extensions: Record<string, object> = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  }
}

/** Sends the raw HTTP request of a newer client. */
export function postModernRequest(
  url: string,
  key: string,
  message: { method: string; params: Record<string, unknown> },
) {
  const { name, uri, taskId } = message.params
  const named = [name, uri, taskId].find((value) => typeof value === 'string')
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': message.method,
      ...(named !== undefined && { 'mcp-name': named }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
}

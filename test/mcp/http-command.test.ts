import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mainModule, runCommand } from '../run-command.ts'
import { requestMeta, postModernRequest } from './http-server-fixture.ts'
import { stopDaemon } from './agent-session.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('reelwright mcp --http accepts the keys of the local service only, never its own', async () => {
  await using folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const create = ['keys', 'create', '--data-dir', dataDir, '--name', 'remote', '--account', 'team']
  const createdKey = await runCommand(create)
  const server = spawn(
    process.execPath,
    [mainModule, 'mcp', '--http', '--port', '0', '--data-dir', dataDir],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(() => void server.kill('SIGKILL'))
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
  const [, url = ''] = /^listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(String(value)) ?? []
  const params = { name: 'service_status', arguments: {}, _meta: requestMeta() }
  const callTool = (key: string) => postModernRequest(url, key, { method: 'tools/call', params })
  try {
    const response = await callTool(createdKey.out.trim())
    const body = (await response.json()) as { result: { structuredContent: Record<string, unknown> } }
    expect(body.result.structuredContent).toMatchObject({
      reachable: true,
      // A new account starts with 0 credits; the local account is unlimited.
      service: { credits: { balance: 0 } },
    })
    expect((await callTool('rw_nobody')).status).toBe(401)
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  } finally {
    await stopDaemon(dataDir, 'SIGTERM')
  }
})

test.each([
  [['--http', '--allow-dir', '/tmp'], 2, '--allow-dir goes without --http'],
  [['--port', '0'], 2, '--port goes with --http'],
  [['--public-url', 'https://media.example.com'], 2, '--public-url goes with --http'],
  [['--http', '--host', '0.0.0.0'], 1, 'keys would be sent over plain http'],
  [['--http', '--public-url', 'http://media.example.com'], 1, 'must be an https address'],
] as const)('mcp %j is rejected', async (args, code, reason) => {
  await using folder = await temporaryFolder()
  const rejection = await runCommand(['mcp', ...args, '--data-dir', folder.path])
  expect([rejection.code, rejection.err]).toEqual([code, expect.stringContaining(reason)])
})

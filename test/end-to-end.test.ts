import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { startMcpServer } from '../src/mcp/stdio-server.ts'
import { temporaryFolder } from './mcp/temporary-folder.ts'
import { parseToolResult } from './mcp/stdio-client.ts'
import { fakeModule } from './service/fake-operation.ts'
import { startTestService } from './service/in-process.ts'

test('an MCP call with a local path returns the path of the result (all layers except the worker in this process)', async () => {
  await using folder = await temporaryFolder()
  await using service = await startTestService()
  await writeFile(join(folder.path, 'note.txt'), 'content of the note')
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
  const server = await startMcpServer({
    version: '0.0.0-test',
    operations: [fakeModule.operation],
    connect: async () => createClient(service),
    workspace: { allowedFolders: [folder.path], defaultFolder: folder.path },
    promptsFolder: join(import.meta.dirname, '../prompts'),
    report: (error) => {
      throw error
    },
    transport: serverTransport,
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(clientTransport)

  const result = await client.callTool({ name: 'test_copy', arguments: { file_id: 'note.txt' } })

  const { data } = parseToolResult(result)
  expect(data).toMatchObject({ task_type: 'test_copy', status: 'completed', progress: 100 })
  const [file] = data['files'] as { path: string }[]
  expect(await readFile(file?.path ?? '', 'utf8')).toBe('content of the note')
  await client.close()
  await server.closed
})

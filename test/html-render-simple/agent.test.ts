import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMcpServer } from '../../src/mcp/stdio-server.ts'
import { htmlRenderSimple } from '../../tools/html-render-simple/contract.ts'
import { startContractServer, type ContractServer } from '../mcp/contract-server.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { serverOptions } from '../mcp/server-options.ts'
import { parseToolResult, type ToolResponse } from '../mcp/stdio-client.ts'

// Local paths in a map of files, as agents pass them.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let service: ContractServer
let client: Client

beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startContractServer()
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
  const { baseUrl, apiKey } = service
  const entry = { baseUrl, apiKey, defaultFolder: folder.path, allowedFolders: [folder.path] }
  const options = serverOptions(entry, (error) => {
    throw error
  })
  await startMcpServer({ ...options, operations: [htmlRenderSimple], transport: serverTransport })
  client = new Client({ name: 'test', version: '1' })
  await client.connect(clientTransport)
  for (const name of ['talk.mp4', 'title.html', 'note.txt', 'song.mid']) {
    await writeFile(join(folder.path, name), `content of ${name}`)
  }
})
afterAll(async () => {
  await client.close()
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const composition = (files: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  video_size: { width: 640, height: 360 },
  assets: { file_id: files },
  tracks: [{ type: 'video', asset: 'talk', track_index: 0, start: 0 }],
  beats: [{ start: 0, duration: 1, track_index: 1, html_asset: 'a title' }],
  ...more,
})

async function call(files: unknown): Promise<ToolResponse> {
  return parseToolResult(
    await client.callTool({ name: 'html_render_simple', arguments: { composition: files } }),
  )
}

test('each path in a map is uploaded once and replaced by its id', async () => {
  const files = { talk: 'talk.mp4', again: 'talk.mp4', 'a title': join(folder.path, 'title.html') }
  const { isError, text } = await call(composition(files))
  expect([isError, text]).toEqual([false, expect.any(String)])
  const idsByName = new Map([...service.files.values()].map(({ id, name }) => [name, id]))
  expect([...idsByName.keys()].toSorted()).toEqual(['talk.mp4', 'title.html'])
  const talkId = idsByName.get('talk.mp4')
  expect([...service.tasks.values()].at(-1)?.body).toMatchObject({
    composition: {
      assets: { file_id: { talk: talkId, again: talkId, 'a title': idsByName.get('title.html') } },
    },
  })
})

test('ids in a map are passed unchanged, also if the map is JSON text', async () => {
  const idsByName = await service.addFile('other.mp4', Buffer.from('other'))
  const files = { talk: idsByName.id, 'a title': 'title.html' }
  const { isError } = await call(composition(JSON.stringify(files)))
  expect(isError).toBe(false)
  expect([...service.tasks.values()].at(-1)?.body).toMatchObject({
    composition: { assets: { file_id: { talk: idsByName.id } } },
  })
})

test.each<[string, unknown, RegExp]>([
  [
    'a path that does not exist',
    composition({ talk: 'none.mp4', 'a title': 'title.html' }),
    /^6004: composition\.assets\.file_id\.talk: There is no none\.mp4/,
  ],
  [
    'a path outside the allowed folders',
    composition({ talk: '../talk.mp4', 'a title': 'title.html' }),
    /^6016: .* outside the allowed folders/,
  ],
  [
    'a file of another kind',
    composition({ talk: 'talk.mp4', 'a title': 'song.mid' }),
    /^6014: composition\.assets\.file_id\["a title"\]: song\.mid is not a video, audio, text or an image\. /,
  ],
  [
    'a number',
    composition({ talk: 12_345, 'a title': 'title.html' }),
    /^6016: composition\.assets\.file_id\.talk: .* lost digits/,
  ],
  [
    'a name that is not in the map',
    composition({ talk: 'talk.mp4' }),
    /^6016: composition\.beats\[0\]\.html_asset: there is no asset "a title"\. Fix: Add its file/,
  ],
  [
    'an unknown field',
    composition({}, { tracks: [{ type: 'video', asset: 'talk', track_index: 0, start: 0, media_start: 1 }] }),
    /^6016: Unknown argument composition\.tracks\[0\]\.media_start\. .*duration/,
  ],
])('%s is rejected with its path', async (_, files, expected) => {
  const { isError, text } = await call(files)
  expect([isError, text]).toEqual([true, expect.stringMatching(expected)])
})

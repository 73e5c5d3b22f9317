import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { rights, writeVideo } from '../library/library.ts'
import { runCommand } from '../run-command.ts'
import { startAgentSession } from './agent-session.ts'
import { startHttpServerFixture, type HttpServerFixture } from './http-server-fixture.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { ToolResponse } from './stdio-client.ts'

interface FoundMaterials {
  readonly output: { readonly results: readonly { readonly id: number }[] }
}

let remote: HttpServerFixture
/** Path of the video in the library. */
let video: string
let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  remote = await startHttpServerFixture({ modules: operations })
  folder = await temporaryFolder()
  const media = join(folder.path, 'media')
  await mkdir(media)
  video = join(media, 'waves.mp4')
  await writeVideo(video, 'blue', 'lime')
  const environment = { REELWRIGHT_DATA_DIR: remote.service.dataDir }
  const { code, err } = await runCommand(['library', 'add', media, ...rights], environment)
  if (code !== 0) throw new Error(err)
})
afterAll(async () => {
  await remote[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

type Agent = { call(name: string, args?: Record<string, unknown>): Promise<ToolResponse> }

/** Returns the id of a video that a search finds. */
async function findVideo(agent: Agent): Promise<number> {
  const { data, text, isError } = await agent.call('material_search', { scope: 'clip', query: 'waves' })
  expect(isError, text).toBe(false)
  const [found] = (data as unknown as FoundMaterials).output.results
  return found?.id ?? 0
}

test('an agent whose service is on another machine looks at a material that it saved', async () => {
  await using session = await startAgentSession()
  const account = await remote.service.account(10)
  const environment = { REELWRIGHT_BASE_URL: account.baseUrl, REELWRIGHT_API_KEY: account.apiKey }
  await using agent = await session.connect('modern', environment)
  const id = await findVideo(agent)
  const saved = await agent.call('download_file', { material_id: id, save_to: 'material' })
  expect(saved.isError, saved.text).toBe(false)
  const path = String(saved.data['path'])
  expect(await readFile(path)).toEqual(await readFile(video))
  const inspected = await agent.call('inspect_file', { file: path, preview: 'contact_sheet' })
  expect(inspected.isError, inspected.text).toBe(false)
  expect(inspected.data).toMatchObject({ media: { duration_ms: 2000, video: { width: 96, height: 54 } } })
  expect(inspected.result.content.filter(({ type }) => type === 'image')).toHaveLength(1)
})

test('an agent whose MCP server is on another machine looks at a material by the steps that it is given', async () => {
  const account = await remote.service.account(10)
  await using agent = await remote.connect('modern', account)
  const id = await findVideo(agent)
  const linked = await agent.call('download_file', { material_id: id })
  expect(linked.isError, linked.text).toBe(false)
  expect(linked.data['next_step']).toMatch(/upload_file.* file_id.* inspect_file/)
  const bytes = Buffer.from(await (await fetch(String(linked.data['url']))).arrayBuffer())
  expect(bytes).toEqual(await readFile(video))

  const { data: upload } = await agent.call('upload_file')
  const body = new FormData()
  body.set(String(upload['form_field']), new File([bytes], String(linked.data['name'])))
  const response = await fetch(String(upload['upload_url']), {
    method: String(upload['method']),
    headers: { authorization: account.apiKey },
    body,
  })
  const { data } = (await response.json()) as { readonly data: { readonly file_id: string } }
  const inspected = await agent.call('inspect_file', { file: data.file_id, preview: 'contact_sheet' })
  expect(inspected.isError, inspected.text).toBe(false)
  expect(inspected.data).toMatchObject({ media: { duration_ms: 2000, video: { width: 96, height: 54 } } })
  expect(inspected.result.content.filter(({ type }) => type === 'image')).toHaveLength(1)
})

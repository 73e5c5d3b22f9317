import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { installFakeClap } from '../engines/embedding/fake-clap.ts'
import { writeSound } from '../library/library.ts'
import { fillLibrary, type FilledLibrary } from '../material-search/filled-library.ts'
import { runCommand } from '../run-command.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { promptCalls } from './call-until-done.ts'
import type { ToolResponse } from './stdio-client.ts'

interface FoundMaterials {
  readonly output: {
    readonly results: readonly { readonly id: number; readonly name: string; readonly note: string }[]
    readonly notes: readonly string[]
  }
}

interface FoundSounds {
  readonly output: { readonly results: readonly { readonly title: string; readonly score: number }[] }
}

let session: AgentSession
let library: FilledLibrary
/** Another session, with the tools for a library alone. */
let other: ConnectedAgent
/** Replies to a search and to two states before the library was filled. */
let before: readonly ToolResponse[]
beforeAll(async () => {
  session = await startAgentSession()
  const agent = await session.shared('modern')
  before = [
    await agent.call('material_search', { scope: 'image', query: 'sea', wait_seconds: 45 }),
    await agent.call('service_status', { details: false }),
    await agent.call('service_status', { details: true }),
  ]
  library = await fillLibrary(session.dataDir, join(session.workspace, '../media'))
  other = await session.connect('legacy', { REELWRIGHT_TOOLSETS: 'library' })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await session[Symbol.asyncDispose]()
})

test('an agent without a library reads the command that fills it', async () => {
  const { dataDir } = session
  const command = `run.mjs library add <folder> --licence <text> --attribution <text> --data-dir ${dataDir}`
  const [searched, short, long] = before
  expect(searched?.data['error']).toMatchObject({ code: 6401, hint: expect.stringContaining(command) })
  expect(short?.data['service']).toMatchObject({ library: 'empty' })
  const missing = expect.stringContaining(command) as string
  expect(long?.data['service']).toMatchObject({ library: { missing } })
  const agent = await session.shared('modern')
  expect((await agent.call('service_status')).data['service']).toMatchObject({
    library: '1 video, 1 image, 2 sounds; found by words alone',
  })
  const { out } = await runCommand(['doctor'], { REELWRIGHT_DATA_DIR: dataDir })
  expect(out).toContain('library: materials are found by their words alone')
})

test('an agent finds material as the prompt does, and saves it by its id, also in another session', async () => {
  const agent = await session.shared('modern')
  const [search, download] = await promptCalls(agent, 'find-material', { wanted: 'waves' })
  if (!search || !download) throw new Error('the prompt has no calls')
  const { data, isError, result } = await agent.call(search[0], search[1])
  expect(isError).toBe(false)
  const { results, notes } = (data as unknown as FoundMaterials).output
  const [found] = results
  expect(found).toMatchObject({ name: 'waves.mp4', note: expect.stringContaining('Example Films') })
  expect(notes).toEqual([expect.stringContaining('Only words were compared')])
  expect(data['next_step']).toContain(notes[0])
  const pictures = result.content.filter(({ type }) => type === 'image')
  expect(pictures).toEqual([expect.objectContaining({ mimeType: 'image/jpeg' })])
  expect(data['next_step']).toContain('The picture is of the first result')
  expect(data['next_step']).toMatch(/download_file and material_id.* inspect_file/)
  const { service } = (await agent.call('service_status')).data as { readonly service: object }
  expect(service).toMatchObject({ library: '1 video, 1 image, 2 sounds; found by words alone' })
  // Links are for callers over HTTP: an agent has no address to complete them with.
  expect(JSON.stringify(data)).not.toContain('_url')

  const saved = await agent.call(download[0], { ...download[1], material_id: found?.id })
  expect(saved.data).toMatchObject({ material_id: found?.id, bytes: expect.any(Number) as number })
  expect(await readFile(String(saved.data['path']))).toEqual(await readFile(library.media('waves.mp4')))

  const again = await other.call('download_file', { material_id: found?.id, save_to: 'again/sea.mp4' })
  expect(String(again.data['path'])).toMatch(/again[/\\]sea\.mp4$/)
  for (const [args, message] of [
    [{ material_id: 999_999 }, /6004/],
    [{ material_id: found?.id, file_id: '1' }, /both given/],
    [{}, /required: file_id or material_id/],
  ] as const) {
    const refused = await agent.call('download_file', args)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(message)])
  }
})

test('the accompaniment of a song is saved beside it', async () => {
  // The toolset has the tools that its next steps name.
  const { tools } = await other.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['download_file', 'inspect_file']))
  const { data } = await other.call('material_search', {
    scope: 'audio',
    query: 'evening',
    save_to: 'found.json',
  })
  const [song] = (data as unknown as FoundMaterials).output.results
  expect(data['next_step']).toContain(join(session.workspace, 'found.json'))
  const saved = await other.call('download_file', { material_id: song?.id, save_to: 'songs/evening.wav' })
  const path = join(session.workspace, 'songs', 'evening-accompaniment.wav')
  expect(saved.data).toMatchObject({ accompaniment: { path }, next_step: expect.stringContaining(path) })
  expect(await readFile(path)).toEqual(await readFile(library.media('song-karaoke.wav')))
})

test('an agent finds a sound by what is heard, though none of its words say so, and by words without the model', async () => {
  const pack = await installFakeClap(join(session.dataDir, dataFiles.packs))
  await writeSound(library.media('take-2.wav'), { title: 'Take two' }, 4000)
  await library.add()
  const agent = await session.shared('modern')
  const search = async (query: string) => {
    const { data, isError } = await agent.call('material_search', { scope: 'audio', query })
    expect(isError).toBe(false)
    return (data as unknown as FoundSounds).output.results
  }
  const [whistle, ...others] = await search('whistle')
  expect([whistle?.title, others.map(({ title }) => title).toSorted()]).toEqual([
    'Take two',
    ['Calm evening', 'Calm piano'],
  ])
  expect(whistle?.score).toBeGreaterThan(0.45)
  for (const { score } of others) expect(score).toBeLessThan(0.45)
  // The lowest tone.
  expect((await search('hum'))[0]?.title).toBe('Calm piano')
  expect(await search('口哨')).toEqual([])

  await rm(pack, { recursive: true })
  expect(await search('whistle')).toEqual([])
  expect((await search('take two'))[0]?.title).toBe('Take two')
})

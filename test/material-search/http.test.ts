import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import type { MaterialLink, MaterialList } from '../../src/contract/library-routes.ts'
import { routes } from '../../src/contract/routes.ts'
import { createHasher } from '../../src/platform/hash.ts'
import { materialSearch } from '../../tools/material-search/contract.ts'
import { operations } from '../../tools/index.ts'
import { wrongFields } from '../contract/laws.ts'
import { materialSearch as table } from '../contract/material-search.ts'
import { rights, writeSound } from '../library/library.ts'
import { runCommand } from '../run-command.ts'
import { writeTestLibrary } from './filled-library.ts'
import { api, type Api, type ApiResponse } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

const type = 'material_search'

interface SearchData extends Readonly<Record<string, unknown>> {
  readonly request_id: string
  readonly recalled: number
  readonly total: number
  readonly task_id: string
  readonly results: readonly Readonly<Record<string, unknown> & { id: number; download_url: string }>[]
}

const search = (calls: Api, body: object): Promise<ApiResponse<SearchData>> =>
  calls.create(type, body) as unknown as Promise<ApiResponse<SearchData>>

const links = (calls: Api, ids: readonly number[]) =>
  calls.send<{ links: MaterialLink[] }>(routes.linkMaterials.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids }),
  })

let now = Date.parse('2026-11-26T12:00:00Z')
let library: Awaited<ReturnType<typeof writeTestLibrary>>
let service: TestService

beforeAll(async () => {
  library = await writeTestLibrary()
  service = await startTestService({ operations, dataDir: library.data, clock: () => now })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(library.root, { recursive: true, force: true })
})

/** Fetches a link without a key. */
const open = (url: unknown, headers: Record<string, string> = {}) =>
  fetch(new URL(String(url), service.baseUrl), { headers })

describe('material_search', () => {
  test.each([
    ['clip', 'waves', 'cover_url', 'preview_url'],
    ['image', '日落', 'thumb_url', undefined],
    ['audio', 'calm', 'preview_url', undefined],
  ] as const)('finds %s by %s, with the documented fields, for one credit', async (scope, query, ...urls) => {
    const account = await service.account(3)
    const calls = api(account)
    const { code, data } = await search(calls, { scope, query })
    expect(code).toBe(200)
    expect(wrongFields({ ...table.result, ...table.resultAdditions, task_id: 'string' }, data)).toEqual([])
    expect(data.total).toBe(data.results.length)
    expect(data.recalled).toBeGreaterThanOrEqual(data.total)
    for (const result of data.results) {
      expect(wrongFields(table.resultParts['results.0'] ?? {}, result)).toEqual([])
      expect(result['note']).toContain('CC BY 4.0')
      expect(result['note']).toContain('Example Films')
    }
    const [first] = data.results
    for (const name of urls.filter((one) => one !== undefined))
      expect((await open(first?.[name])).status).toBe(200)
    expect(await accountBalance(service.running.service.db, account.id)).toBe(2)
    const task = await calls.query(type, data.task_id)
    expect(task.data.output_result).toMatchObject({ total: data.total })
  })

  test('fields belong to their scope', async () => {
    const calls = api(await service.account(9))
    const [clip] = (await search(calls, { scope: 'clip', query: 'waves' })).data.results
    expect(clip).toMatchObject({ width: 96, height: 54, orientation: 'landscape', duration: 2, fps: 20 })
    const [image] = (await search(calls, { scope: 'image', query: '日落' })).data.results
    expect(image).toMatchObject({ width: 96, height: 54 })
    expect(image).not.toHaveProperty('orientation')
    const sounds = (await search(calls, { scope: 'audio', query: 'calm' })).data.results
    const song = sounds.find(({ audio_type }) => audio_type === 'song')
    const pure = sounds.find(({ audio_type }) => audio_type === 'pure')
    expect(song).toMatchObject({
      title: 'Calm evening',
      author: 'A. Singer',
      accompaniment_url: expect.any(String) as string,
    })
    expect(pure).not.toHaveProperty('accompaniment_url')
    const link = async (body: object) =>
      await calls.send<{ links: MaterialLink[] }>(routes.linkMaterials.path, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      })
    const { data } = await link({ ids: [song?.id], accompaniment: true })
    const bytes = await readFile(library.media('song-karaoke.wav'))
    const hasher = await createHasher()
    hasher.update(bytes)
    const accompaniment = { name: 'song-karaoke.wav', size: bytes.length, blake3_id: hasher.digest() }
    expect(data.links).toMatchObject([{ id: song?.id, accompaniment }])
    const both = [song?.id, pure?.id]
    expect((await link({ ids: both })).data.links[0]).not.toHaveProperty('accompaniment')
    expect(await link({ ids: both, accompaniment: true })).toMatchObject({ status: 400, code: 6016 })
  })

  test('the original is downloaded whole and in ranges until its link expires; previews stay valid', async () => {
    const calls = api(await service.account(9))
    const { data } = await search(calls, { scope: 'image', query: '日落' })
    const [found] = data.results
    if (!found) throw new Error('nothing was found')
    const bytes = await readFile(library.media('sunset.png'))
    const response = await open(found.download_url)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(response.headers.get('content-disposition')).toContain('sunset.png')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    const part = await open(found.download_url, { range: 'bytes=1-9' })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1, 10))
    const other = found.download_url.replace(`/${found.id}/`, `/${found.id + 1}/`)
    expect((await open(other)).status).toBe(401)
    expect((await open(String(found['thumb_url']).replace('/thumb', '/original'))).status).toBe(401)
    const before = now
    now += 24 * 3600 * 1000 + 1000
    try {
      expect((await open(found.download_url)).status).toBe(401)
      expect((await open(found['thumb_url'])).status).toBe(200)
      const [fresh] = (await links(calls, [found.id])).data.links
      expect(fresh).toMatchObject({ id: found.id, name: 'sunset.png', size: bytes.length })
      expect((await open(fresh?.download_url)).status).toBe(200)
    } finally {
      now = before
    }
  })

  test('links are created for what searches of the account returned, and for nothing else', async () => {
    const [mine, theirs] = [api(await service.account(9)), api(await service.account(9))]
    const [found] = (await search(mine, { scope: 'audio', query: 'calm' })).data.results
    if (!found) throw new Error('nothing was found')
    expect((await links(mine, [found.id])).code).toBe(200)
    expect(await links(theirs, [found.id])).toMatchObject({ status: 404, code: 6004 })
    expect(await links(mine, [found.id, 999_999])).toMatchObject({ status: 404, code: 6004 })
    expect(await links(mine, [])).toMatchObject({ status: 400, code: 6016 })
    // A key opens what was granted, without a link.
    const path = `/library/${found.id}/original`
    const withKey = (calls: { apiKey: string }) =>
      fetch(service.baseUrl + path, { headers: { authorization: calls.apiKey } })
    const account = await service.account(9)
    expect((await withKey(account)).status).toBe(404)
    await search(api(account), { scope: 'audio', query: 'calm' })
    expect((await withKey(account)).status).toBe(200)
    expect((await fetch(service.baseUrl + path)).status).toBe(401)
    for (const wrong of ['/library/1/secret', '/library/0x1/original', '/library/999999/original'])
      expect(
        (await fetch(service.baseUrl + wrong, { headers: { authorization: account.apiKey } })).status,
      ).toBe(404)
  })

  test('request_id is repeated or made, and top_k bounds the results', async () => {
    const calls = api(await service.account(9))
    const request_id = '8ab1e7f6-0b1c-4f7e-9f57-1d8b5a5a2c11'
    const body = { scope: 'audio', query: 'calm' }
    expect((await search(calls, { ...body, request_id })).data.request_id).toBe(request_id)
    const { data } = await search(calls, { ...body, top_k: 1 })
    expect(data.request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(data.total).toBe(1)
    expect((await search(calls, { ...body, top_k: 1000 })).code).toBe(200)
  })

  test('a search omits originals that were deleted or changed since their import, and their links return 6004', async () => {
    const calls = api(await service.account(9))
    const names = ['fleeting-1.wav', 'fleeting-2.wav', 'fleeting-3.wav']
    for (const [index, name] of names.entries()) await writeSound(library.media(name), {}, 500 + index)
    await library.add()
    const results = async () =>
      (await search(calls, { scope: 'audio', query: 'fleeting', top_k: 2 })).data.results
    const found = async () => (await results()).map(({ name }) => String(name)).toSorted()
    expect(await found()).toHaveLength(2)
    const [deleted = '', ...others] = await found()
    await rm(library.media(deleted))
    await writeSound(library.media(others[0] ?? ''), {}, 900)
    expect(await found()).toEqual(names.filter((name) => name !== deleted && name !== others[0]))
    await library.add()
    expect(await found()).toEqual(names.filter((name) => name !== deleted))

    const [passing, kept] = await results()
    if (!passing) throw new Error('nothing was found')
    await rm(library.media(String(passing['name'])))
    const gone = await open(passing.download_url)
    expect([gone.status, ((await gone.json()) as { code: number }).code]).toEqual([404, 6004])
    // It is marked, and searches no longer find it.
    expect(await found()).toEqual([kept?.['name']])
    expect(await links(calls, [passing.id])).toMatchObject({ status: 404, code: 6004 })
    await rm(library.media(String(kept?.['name'])))
  })

  test('materials are listed with their rights and previews, newest first, by scope or by words, without originals', async () => {
    const account = await service.account(0)
    const calls = api(account)
    const list = async (query: string) => (await calls.send<MaterialList>(`/library/materials?${query}`)).data
    const all = await list('')
    expect(all.list.map(({ id }) => id)).toEqual(all.list.map(({ id }) => id).toSorted((a, b) => b - a))
    expect(all.total).toBe(all.list.length)
    for (const one of all.list)
      expect(one).toMatchObject({ licence: 'CC BY 4.0', attribution: 'Example Films' })
    expect(JSON.stringify(all)).not.toMatch(/original|accompaniment/)
    const [image] = (await list('scope=image')).list
    expect(image).toMatchObject({ name: 'sunset.png', tags: ['日落', '海边'], width: 96 })
    expect((await open(image?.thumb_url)).status).toBe(200)
    expect((await list('words=piano')).list.map(({ name }) => name)).toEqual(['calm.wav'])
    expect((await list('words=%E6%97%A5%E8%90%BD&scope=audio')).total).toBe(0)
    const pages = [await list('page_size=1&page=1'), await list('page_size=1&page=2')]
    expect(pages.map(({ list: [one] }) => one?.id)).toEqual(all.list.slice(0, 2).map(({ id }) => id))
    const refused = await calls.send('/library/materials?scope=film')
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused)).toMatch(/one of clip, image, audio.*Use one of these/)
    expect((await fetch(`${service.baseUrl}/library/materials`)).status).toBe(401)
  })

  test.each(materialSearch.examples)('example: $title', async ({ input }) => {
    const calls = api(await service.account(9))
    expect((await search(calls, input)).code).toBe(200)
  })
})

test('what was granted outlives its folder, which searches no longer find', async () => {
  const folder = join(library.root, 'other')
  const path = join(folder, 'flute.wav')
  await mkdir(folder)
  await writeSound(path, {}, 300)
  const environment = { REELWRIGHT_DATA_DIR: library.data }
  const remove = () => runCommand(['library', 'remove', folder], environment)
  // Also after a failure, because other tests search the same library.
  onTestFinished(async () => void (await remove()))
  expect(await runCommand(['library', 'add', folder, ...rights], environment)).toMatchObject({ code: 0 })
  const calls = api(await service.account(9))
  const query = { scope: 'audio', query: 'flute' }
  const [found] = (await search(calls, query)).data.results
  if (!found) throw new Error('nothing was found')
  const bytes = await readFile(path)
  expect(await remove()).toMatchObject({ code: 0 })
  await rm(path)
  const [link] = (await links(calls, [found.id])).data.links
  const response = await open(link?.download_url)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  expect((await search(calls, query)).data.results).toEqual([])
})

test('without a library, a search names the command that imports, and its credit is refunded', async () => {
  await using empty = await startTestService({ operations })
  const account = await empty.account(2)
  const response = await search(api(account), { scope: 'clip', query: 'sea' })
  expect(response).toMatchObject({ status: 500, code: 6401, data: null })
  expect(JSON.stringify(response)).toContain('reelwright library add')
  expect(await accountBalance(empty.running.service.db, account.id)).toBe(2)
})

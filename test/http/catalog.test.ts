import { expect, onTestFinished, test } from 'vitest'
import type { Capabilities, Enums, LayoutEntry, layoutPage } from '../../src/contract/catalog.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { findLayout, layoutsFor, slotCounts } from '../../src/media/layout/layout.ts'
import { operations } from '../../tools/index.ts'
import * as common from '../contract/common.ts'
import { videoSplitScreen } from '../contract/video-split-screen.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { startSecondApp } from './second-app.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope } from './raw-http.ts'

type Page = ReturnType<typeof layoutPage.parse>

onOneDatabase((service) => {
  const get = async <T>(path: string) => (await api(service()).send<T>(path)).data

  test('capabilities list the documented limits', async () => {
    const { limits, protocol_version } = await get<Capabilities>('/base/capabilities')
    expect(protocol_version).toBe(2)
    expect(limits).toMatchObject({
      max_file_bytes: common.limits.uploadBytes,
      part_bytes: 33_554_432,
      upload_session_hours: 72,
      retention_days: common.limits.retentionDays,
      page_size: common.limits.pageSize,
    })
    // Each figure is the one that is enforced.
    const listed = await api(service()).send(`/task/list?page_size=${limits.max_page_size + 1}`)
    expect(listed.code).toBe(6016)
    const body = `"${'x'.repeat(limits.max_body_bytes - 2)}"`
    const create = async (json: string) =>
      envelope(
        await sendRequest(`${service().baseUrl}/task/test_copy`, {
          method: 'POST',
          headers: { authorization: service().apiKey, 'content-type': 'application/json' },
          body: json,
        }),
      ).msg
    expect(await create(body)).toMatch(/JSON object/)
    expect(await create(`${body} `)).toMatch(/larger than/)
  })

  test('capabilities list configured services without their addresses', async () => {
    configureServices({
      language_model: { address: 'http://10.0.0.7:11434/v1', model: 'qwen3:8b', key: 'key-of-the-model' },
    })
    onTestFinished(() => configureServices({}))
    const { services } = await get<Capabilities>('/base/capabilities')
    expect(services).toMatchObject([
      { name: 'language_model', title: 'Language model', set: true, model: 'qwen3:8b', missing: null },
      {
        name: 'transcription',
        set: false,
        model: null,
        missing: expect.stringContaining('Set "transcription"'),
      },
      {
        name: 'voice_service',
        set: false,
        missing: expect.stringContaining('gpt-sovits+http://127.0.0.1:9880'),
      },
      { name: 'embedding', set: false, missing: expect.stringContaining('Set "embedding"') },
    ])
    expect(JSON.stringify(services)).not.toMatch(/10\.0\.0\.7|key-of/)
  })

  test('enumerations match the documents', async () => {
    const { baseUrl } = await startSecondApp({
      ...service().running.service,
      operations: new Map(operations.map((module) => [module.operation.name, module])),
    })
    const { data } = await api({ baseUrl, apiKey: service().apiKey }).send<Enums>('/base/enums')
    const { operation, parameters } = videoSplitScreen
    const written = parameters.flatMap(({ at, values }) =>
      values ? [[at.replaceAll('.0.', '[].'), values]] : [],
    )
    expect(data.operations[operation]?.input).toMatchObject(Object.fromEntries(written))
    expect(data.operations[operation]?.output['version']).toEqual(['video_split_screen.v1'])
    expect(data.endpoints['GET /task/list']?.query).toEqual({ status: common.listStates })
    expect(data).toMatchObject({
      task_states: common.states,
      terminal_task_states: common.terminalStates,
      extensions: common.uploadExtensions,
    })
    const codes = [...common.errorCodes, ...common.ownErrorCodes]
    expect(data.errors.map(({ code, status }) => ({ code, status }))).toEqual(
      codes.toSorted((one, other) => one.code - other.code),
    )
    for (const { meaning, hint, retryable } of data.errors) {
      expect([meaning.length > 5, hint.length > 5, typeof retryable]).toEqual([true, true, 'boolean'])
    }
  })

  test('layouts: each is listed once, by ascending id within its number of slots', async () => {
    const ids: number[] = []
    for (let page = 1; ; page += 1) {
      const { list, total } = await get<Page>(`/base/layouts?page_size=100&page=${page}`)
      expect(total).toBe(slotCounts.flatMap(layoutsFor).length)
      if (list.length === 0) break
      ids.push(...list.map(({ layout_id }) => layout_id))
    }
    expect(ids).toEqual(slotCounts.flatMap((count) => layoutsFor(count).map(({ id }) => id)))
  })

  test.for(slotCounts)('layouts for %i clips tile the result and are drawn', async (count) => {
    const { list } = await get<Page>(`/base/layouts?slot_count=${count}&page_size=100`)
    for (const layout of list) {
      expect([layout.slot_count, layout.slots.length]).toEqual([count, count])
      expect(findLayout(layout.layout_id)?.equivalenceKey).toBe(layout.equivalence_key)
      expect(layout.slots.reduce((sum, { width, height }) => sum + width * height, 0)).toBeCloseTo(1, 4)
      expect(layout.svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 96 96" /)
      expect(numbersIn(layout)).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)))
    }
  })

  test('layouts for a ratio are listed and sketched in that ratio', async () => {
    const all = await get<Page>('/base/layouts?slot_count=3&page_size=100')
    const wide = await get<Page>('/base/layouts?slot_count=3&page_size=100&ratio=16:9')
    expect(wide.total).toBeLessThan(all.total)
    const [first] = wide.list
    expect(first?.svg).toContain('viewBox="0 0 96 54"')
    for (const { ratios } of wide.list) expect(ratios).toContain('16:9')
    // Three rows are too narrow in a wide picture, three columns in a tall one.
    expect(all.list.find(({ layout_id }) => layout_id === 300_100)?.ratios).toEqual(['9:16', '1:1'])
  })

  test.for([
    'slot_count=1',
    'slot_count=17',
    'slot_count=two',
    'slot_count=',
    'ratio=4:3',
    'page=0',
    'page_size=101',
  ])('layouts with %s name the parameter', async (query) => {
    const response = await api(service()).send(`/base/layouts?${query}`)
    expect(response).toMatchObject({ status: 400, code: 6016, data: null })
    expect(response.msg).toContain(query.split('=')[0])
  })
})

test('voices match the settings', async () => {
  const voices = [{ voice_id: 'mei', name: 'Mei', languages: ['zh-CN', 'en-US'] }]
  await using service = await startTestService({ voices })
  expect((await api(service).send('/base/voices')).data).toEqual({ list: voices })
})

function numbersIn({ svg }: LayoutEntry): string[] {
  return [...svg.matchAll(/>(\d+)<\/text>/g)].map(([, number = '']) => number)
}

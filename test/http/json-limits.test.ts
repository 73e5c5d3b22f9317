import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileRecord } from '../../src/contract/file.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import { sampleCases } from '../soak-size.ts'
import { type DelayProbe, startDelayProbe } from './delay-probe.ts'
import { costlyRequests, costlySubtitles } from './costly-requests.ts'
import { labelledRegions, mebibyte, regions, repeated } from './large-bodies.ts'
import { envelope, sendRequest } from './raw-http.ts'

/** Longest delay that one request may cause for others, ms. */
const maxDelayMs = 300

/** Longest delay by a request whose large text files are read in a thread, ms. */
const maxPlanDelayMs = 100
const folder = await scratchFolder()
let [dataDir, service, probe, video]: [string?, ServiceProcess?, DelayProbe?, FileRecord?] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'reelwright-json-'))
  // Quotes of translations only require that a model is configured; nothing is sent to it.
  const services = {
    language_model: { address: 'http://127.0.0.1:9/v1', model: 'unused', context_tokens: 8192 },
  }
  service = await startServiceProcess(dataDir, { services })
  const path = await generateMedia(join(folder, 'clip.mp4'), [...picture(1), ...h264])
  video = (await api(service).upload('clip.mp4', new Uint8Array(await readFile(path)))).data
  probe = await startDelayProbe(service)
})
afterAll(async () => {
  await probe?.[Symbol.asyncDispose]()
  await service?.kill('SIGKILL')
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
})

function running() {
  if (!service || !probe || !video) throw new Error('the service has not started')
  return { service, probe, video }
}

async function post(path: string, body: string | Buffer) {
  const { baseUrl, apiKey } = running().service
  const headers = { authorization: apiKey, 'content-type': 'application/json' }
  return envelope(await sendRequest(baseUrl + path, { method: 'POST', headers, body }))
}

// Repeated, because a busy disk delays writes too, and may cut the connection while a refused body is still sent.
describe('one request delays others by less than 300 ms:', { retry: 2 }, () => {
  test.each(sampleCases(costlyRequests, 10))('%s', async (_, path, body, code, message) => {
    const { probe: delays } = running()
    const text = body()
    await delays.longestDelay()
    const response = await post(path, text)
    const longest = await delays.longestDelay()
    process.stdout.write(`longest delay ${Math.round(longest)} ms: ${_}\n`)
    expect(response).toMatchObject({ code, msg: expect.stringMatching(message) as string })
    expect(longest).toBeLessThan(maxDelayMs)
  })

  test.each<[string, () => string, number, RegExp | null]>([
    [
      'sixteen million brackets',
      () => '['.repeat(16 * mebibyte),
      6016,
      /list\.json is nested 16777216 levels deep/,
    ],
    [
      'all lists that fit',
      () => repeated('[', '[],', { end: '1]', bytes: 32 * mebibyte }),
      6016,
      /values and keys/,
    ],
    [
      'a hundred thousand regions',
      () => `{"regions":${regions(50_000)},"protect_regions":${regions(50_000)}}`,
      200,
      null,
    ],
  ])('a file of regions with %s', async (_, content, code, message) => {
    const { service: host, probe: delays, video: clip } = running()
    const { data: list } = await api(host).upload('list.json', content())
    await delays.longestDelay()
    const path = `/base/file/${clip.file_id}/regions?regions_file_id=${list.file_id}`
    const response = await api(host).send(path)
    const longest = await delays.longestDelay()
    process.stdout.write(`longest delay ${Math.round(longest)} ms: file with ${_}\n`)
    expect(response.code).toBe(code)
    if (message) expect(response.msg).toMatch(message)
    expect(longest).toBeLessThan(maxDelayMs)
  })

  test.each(sampleCases(costlySubtitles, 3))(
    'a quote of subtitles with %s',
    async (_, content, code, message) => {
      const { data: file } = await api(running().service).upload('long.srt', content())
      const body = {
        file_id: file.file_id,
        language: 'en-US',
        translate_language: 'zh-CN',
        line_mode: 'keep',
      }
      expect(
        await longestDelayDuring('/task/subtitle_translate/quote', body, { code, message }),
      ).toBeLessThan(maxDelayMs)
    },
  )

  const costlyLists: [string, () => string, number, RegExp][] = [
    [
      'all lists that fit in 1 MiB',
      () => repeated('[', '[],', { end: '1]', bytes: mebibyte }),
      6016,
      /list\.json/,
    ],
    [
      'invalid regions that fill 1 MiB',
      () => repeated('{"regions":[', '{"x":2},', { end: '{}]}', bytes: mebibyte }),
      6016,
      /list\.json/,
    ],
    [
      'regions that fill 1 MiB',
      () => `{"version":1,"source":{"file_id":"${running().video.file_id}"},"regions":${regions(9000, 1.5)}}`,
      6016,
      /list\.json regions\[0\]\.start/,
    ],
  ]
  test.each(sampleCases(costlyLists))(
    'a quote of a purification with a file of %s',
    async (_, content, code, message) => {
      const { data: list } = await api(running().service).upload('list.json', content())
      const body = { file_id: running().video.file_id, phase: 'purify', regions_file_id: list.file_id }
      expect(await longestDelayDuring('/task/video_purify/quote', body, { code, message })).toBeLessThan(
        maxPlanDelayMs,
      )
    },
  )
})

test('a picture of 50,000 regions delays others by less than 300 ms', { retry: 2 }, async () => {
  const { service: target, probe: delays, video: shown } = running()
  const list = (await api(target).upload('list.json', labelledRegions(50_000))).data.file_id
  const path = `/base/file/${shown.file_id}/preview?kind=regions&regions_file_id=${list}`
  await delays.longestDelay()
  const headers = { authorization: target.apiKey }
  expect((await sendRequest(target.baseUrl + path, { headers })).status).toBe(200)
  expect(await delays.longestDelay()).toBeLessThan(maxDelayMs)
})

/** Sends a body, checks its response, and returns the longest delay of other requests meanwhile, ms. */
async function longestDelayDuring(
  path: string,
  body: object,
  { code, message }: { readonly code: number; readonly message: RegExp },
): Promise<number> {
  const { probe: delays } = running()
  await delays.longestDelay()
  const response = await post(path, JSON.stringify(body))
  const longest = await delays.longestDelay()
  process.stdout.write(`longest delay ${Math.round(longest)} ms: ${path} ${response.msg.slice(0, 100)}\n`)
  expect(response).toMatchObject({ code, msg: expect.stringMatching(message) as string })
  return longest
}

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../src/accounts/keys.ts'
import type { FileRecord } from '../../src/contract/file.ts'
import { endpoints, fillPath, routes } from '../../src/contract/routes.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendRequest, envelope, openConnection } from './raw-http.ts'
import { successfulRequests, type RequestSubjects } from './successful-requests.ts'

// Attacks that other tests do not cover. See also: links.test.ts (tampering), authentication.test.ts (Host,
// Origin), tickets.test.ts, interrupted-uploads.test.ts (framing), test/observe/requests.test.ts (log injection),
// page.test.ts (script in names), test/mcp (paths of files), test/engines/ffmpeg/hostile.test.ts (media).

const folder = await scratchFolder()
let service: TestService
let [owner, intruder]: TestAccount[] = []
let clip: FileRecord

beforeAll(async () => {
  service = await startTestService()
  owner = await service.account(1000)
  intruder = await service.account(1000)
  const path = await generateMedia(join(folder, 'clip.mp4'), [...picture(1), ...h264])
  clip = (await api(owner).upload('clip.mp4', new Uint8Array(await readFile(path)))).data
})
afterAll(() => service[Symbol.asyncDispose]())

const victim = (): TestAccount => owner as TestAccount
const attacker = (): TestAccount => intruder as TestAccount

describe('with the key of another account', () => {
  const world = (): RequestSubjects => ({ account: victim(), clip: clip.file_id, type: 'test_copy' })
  const withIds = Object.entries(endpoints).filter(
    ([id, { path }]) => /\{(?!task_type|name)/.test(path) && id !== 'createTask',
  )

  test.each(withIds)('%s', async (id, { method, path }) => {
    const {
      params = {},
      query = {},
      headers = {},
      json,
      body,
    } = await successfulRequests[id as keyof typeof successfulRequests](world())
    const target = `${fillPath(path, { task_type: 'test_copy', ...params })}?${new URLSearchParams(query).toString()}`
    const send = (address: string) =>
      sendRequest(service.baseUrl + address, {
        method,
        headers: {
          ...headers,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          authorization: attacker().apiKey,
        },
        ...(json === undefined ? { body } : { body: JSON.stringify(json) }),
      })
    const response = await send(target)
    if (id === 'abortUpload') {
      // Succeeds for every id, without effect on this one.
      expect(
        (
          await api(victim()).send(
            fillPath(routes.uploadStatus.path, { upload_id: params['upload_id'] ?? '' }),
          )
        ).code,
      ).toBe(200)
      return
    }
    expect([response.status, envelope(response).code]).toEqual([404, expect.toBeOneOf([6004, 6005, 6024])])
    // Not even whether the id exists.
    const unknown = target.replaceAll(/\d{19}/g, '1700000000000000001')
    const { msg } = envelope(await send(unknown))
    expect(envelope(response).msg.replaceAll(/\d{19}/g, '')).toBe(msg.replaceAll(/\d{19}/g, ''))
  })

  test("a task of another's file", async () => {
    const { code } = await api(attacker()).create('test_copy', { file_id: clip.file_id })
    expect(code).toBe(6004)
  })

  test('lists contain nothing of other accounts', async () => {
    for (const path of [routes.listTasks.path, routes.capabilities.path]) {
      expect(JSON.stringify(await api(attacker()).send(path))).not.toContain(clip.file_id)
    }
  })
})

describe('a key', () => {
  const lines = (...headers: string[]): string =>
    ['GET /base/capabilities HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n')
  const right = (): string => victim().apiKey

  test.each<[string, () => string[]]>([
    [
      'in another header',
      () => [
        `X-Authorization: ${right()}`,
        `Proxy-Authorization: ${right()}`,
        `Cookie: Authorization=${right()}`,
      ],
    ],
    ['after another key', () => ['Authorization: rw_wrong', `Authorization: ${right()}`]],
    ['folded into the line of another header', () => [`X-Note: a\r\n Authorization: ${right()}`]],
    ['after a bare CR', () => [`X-Note: a\rAuthorization: ${right()}`]],
    ['after a bare LF in a value', () => [`X-Note: a\n\tAuthorization: ${right()}`]],
    ['with a space before the colon', () => [`Authorization : ${right()}`]],
    ['with NUL in its name', () => [`Author\0ization: ${right()}`]],
    ['with text behind it', () => [`Authorization: ${right()}, rw_wrong`]],
    ['behind a scheme', () => [`Authorization: Bearer ${right()}`]],
    [
      'in the trailer',
      () => ['Transfer-Encoding: chunked', 'Trailer: Authorization', '', '0', `Authorization: ${right()}`],
    ],
  ])('%s is rejected', async (_, headers) => {
    using line = await openConnection(service.baseUrl)
    line.socket.write(lines(...headers()))
    const response = await line.waitForText(/\}$/)
    expect(response).toMatch(/^HTTP\/1\.1 (400|401) /)
    expect(response).not.toContain('HTTP/1.1 200')
  })

  test.each([
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding:\x0bchunked'],
    ['Content-Length: +5'],
    ['Content-Length: 0x5'],
    ['Content-Length: 5, 5'],
  ])('does not authenticate a request smuggled behind %j', async (framing) => {
    using line = await openConnection(service.baseUrl)
    const hidden = `0\r\n\r\n${lines(`Authorization: ${right()}`)}`
    line.socket.write(`${lines('Authorization: rw_wrong', framing).replace('GET', 'POST')}${hidden}`)
    await line.closed
    expect(await line.waitForText(/$/)).not.toContain('HTTP/1.1 200')
  })

  test('cannot be found by timing: only its hash is compared', async () => {
    const queries: string[] = []
    const db = service.running.service.db.withPlugin({
      transformQuery({ node }) {
        queries.push(JSON.stringify(node))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const key = right()
    for (const guess of [key, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, newKey()]) {
      const found = await authenticate(db, guess, Date.now())
      expect(found === null).toBe(guess !== key)
      expect(queries.at(-1)).toContain(createHash('sha256').update(guess).digest('hex'))
      expect(queries.join('')).not.toContain(guess.slice(0, 8))
    }
    expect(queries).toHaveLength(3)
  })
})

describe('an event socket', () => {
  test.each<[string, () => string, string[]]>([
    ['without a key', () => '/task/events', []],
    ['with a wrong key', () => '/task/events', ['Authorization: rw_wrong']],
    ['with the key in the address', () => `/task/events?Authorization=${victim().apiKey}`, []],
    ['with the signature of a link', () => '/task/events?expires=9999999999&sign=ab', []],
  ])('%s is rejected', async (_, path, headers) => {
    using line = await openConnection(service.baseUrl)
    const upgrade = [
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ]
    line.socket.write([`GET ${path()} HTTP/1.1`, ...upgrade, ...headers, '', ''].join('\r\n'))
    expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 401 [^]*"code":6502/)
  })
})

describe('a body', () => {
  let packed: Buffer
  beforeAll(() => {
    const content = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(2 ** 26, 'x'), Buffer.from('"}')])
    packed = gzipSync(content, { level: 1 })
  })

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip'])(
    'that is compressed as %s is not decompressed',
    async (encoding) => {
      const before = process.memoryUsage().rss
      const response = await sendRequest(
        service.baseUrl + fillPath(routes.createTask.path, { task_type: 'test_copy' }),
        {
          method: 'POST',
          headers: {
            authorization: victim().apiKey,
            'content-type': 'application/json',
            'content-encoding': encoding,
          },
          body: packed,
        },
      )
      expect(envelope(response)).toMatchObject({ status: 400, code: 6016 })
      expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 26)
    },
  )

  test('a hundred slow bodies do not block other requests', async () => {
    const slow = await Promise.all(Array.from({ length: 100 }, () => openConnection(service.baseUrl)))
    const head = `POST ${routes.uploadFile.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${attacker().apiKey}\r\n`
    for (const [index, { socket }] of slow.entries()) {
      socket.write(
        index % 2 === 0
          ? head
          : `${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 999999\r\n\r\n-`,
      )
    }
    const began = performance.now()
    expect((await api(victim()).upload('a.txt', 'not held up')).code).toBe(200)
    expect(performance.now() - began).toBeLessThan(5000)
    for (const each of slow) each[Symbol.dispose]()
  })
})

describe('a path', () => {
  const escapes = [
    '../../etc/passwd',
    '..%2f..%2fetc%2fpasswd',
    '..%5c..%5cboot.ini',
    '%2e%2e/%2e%2e/etc/passwd',
    '/etc/passwd',
    '%00',
  ]
  test.each(escapes)('%s does not escape', async (escape) => {
    for (const path of [
      `/base/file/${escape}`,
      `/base/file/${escape}/download`,
      `/base/file/upload/chunk/${escape}`,
      `/${escape}`,
    ]) {
      using line = await openConnection(service.baseUrl)
      line.socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${victim().apiKey}\r\nConnection: close\r\n\r\n`,
      )
      const response = await line.waitForText(/\}$/)
      expect(response).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(response).not.toContain('root:')
    }
  })
})

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenForMcp } from '../../src/mcp/http-server.ts'
import { ManualClock } from '../daemon/manual-clock.ts'
import { api } from '../service/api.ts'
import { observeRequests } from './observe-requests.ts'
import { onOneDatabase } from './on-databases.ts'
import { openConnection, type RawConnection } from './raw-http.ts'
import { startSecondApp } from './second-app.ts'
import { withServerSocket } from './server-sockets.ts'

const portOf = (baseUrl: string) => Number(new URL(baseUrl).port)

function get(path: string, { method = 'GET', apiKey }: { method?: string; apiKey?: string } = {}): string {
  const key = apiKey === undefined ? '' : `Authorization: ${apiKey}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${key}\r\n`
}

/** Bytes that the system has accepted for a client, without those of an unfinished write. */
const completedBytes = (server: Socket) => server.bytesWritten - server.writableLength

/** Resolves when the system accepts no more of the responses to a client that does not read. */
async function waitUntilStalled(server: Socket): Promise<void> {
  let completed = -1
  const isStalled = () => {
    const before = completed
    completed = completedBytes(server)
    return server.writableLength > 0 && before === completed
  }
  await expect.poll(isStalled, { timeout: 20_000, interval: 100 }).toBe(true)
}

/** Sends bytes and reads nothing, until the server cannot write. */
async function sendUnread(baseUrl: string, bytes: string): Promise<{ line: RawConnection; server: Socket }> {
  const [line, server] = await withServerSocket(() => openConnection(baseUrl))
  onTestFinished(() => line[Symbol.dispose]())
  line.socket.pause()
  line.socket.write(bytes)
  await waitUntilStalled(server)
  return { line, server }
}

onOneDatabase((service) => {
  describe('pipelined requests', () => {
    test.each([
      ['a document that is read', '/docs', true],
      ['a document that is not read', '/docs/openapi.json', false],
      ['the headers of a document', '/docs/openapi.json', false, 'HEAD'],
      ['an unknown path', '/nothing', false],
      ['an endpoint that needs a key', '/task/list', false],
    ])('for %s are handled one after another', async (_, path, isRead, method = 'GET') => {
      const { baseUrl } = service()
      const seen = observeRequests(portOf(baseUrl))
      const lines = await Promise.all(Array.from({ length: 20 }, () => openConnection(baseUrl)))
      onTestFinished(() => {
        for (const line of lines) line[Symbol.dispose]()
      })
      for (const { socket } of lines) {
        if (!isRead) socket.pause()
        socket.write(get(path, { method }).repeat(20))
      }
      await expect.poll(() => seen.count).toBeGreaterThan(60)
      expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
      expect(seen).toMatchObject({ mostUnfinished: 1, mostInTurn: 1 })
    })

    test('of one connection wait while its responses are not read, and others are served', async () => {
      const { baseUrl } = service()
      const seen = observeRequests(portOf(baseUrl))
      await sendUnread(baseUrl, get('/docs/openapi.json').repeat(2000))
      const { count } = seen
      expect(count).toBeLessThan(200)
      for (let turn = 0; turn < 3; turn += 1) expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
      expect(seen.count).toBe(count + 3)
      expect(seen.mostUnfinished).toBe(1)
    })

    test('on 1,100 connections that do not read do not stop the service', async () => {
      const { baseUrl, apiKey } = await service().account(1)
      const seen = observeRequests(portOf(baseUrl))
      const lines = await Promise.all(Array.from({ length: 1100 }, () => openConnection(baseUrl)))
      onTestFinished(() => {
        for (const line of lines) line[Symbol.dispose]()
      })
      for (const { socket } of lines) {
        socket.pause()
        socket.write(get('/docs/openapi.json').repeat(20))
      }
      expect((await api({ baseUrl, apiKey }).send('/base/capabilities')).code).toBe(200)
      expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
      expect(seen.mostUnfinished).toBe(1)
    })

    test('for downloads, errors and uploads all get their responses, in their order', async () => {
      const account = await service().account(1)
      const text = 'x'.repeat(2 ** 20)
      const { data: file } = await api(account).upload('a.txt', text)
      const { apiKey } = account
      using line = await openConnection(account.baseUrl)
      const requests = [
        get(file.download_url, { apiKey }),
        get('/nothing', { apiKey }),
        `POST /page/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
        get('/docs', { method: 'HEAD' }),
        get('/task/list'),
        get(file.download_url, { apiKey }),
        get('/health'),
      ]
      line.socket.write(requests.join(''))
      const received = await line.waitForText(/"status":"ok"[^}]*\}$|"version"[^}]*\}$/)
      expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual([
        200, 404, 400, 200, 401, 200, 200,
      ])
      expect(received.split(text)).toHaveLength(3)
    })
  })

  describe('a connection that does not read', () => {
    const started = async (clock: ManualClock) =>
      await startSecondApp(service().running.service, { unread: { clock } })

    test.each(['a document', 'a download', 'a list'])('%s is closed after a minute', async (what) => {
      const clock = new ManualClock()
      const { baseUrl } = await started(clock)
      const account = { ...(await service().account(1)), baseUrl }
      const { apiKey } = account
      const target = async () => {
        if (what === 'a document') return get('/docs/openapi.json')
        if (what === 'a list') return get('/base/layouts?page_size=100', { apiKey })
        const { data } = await api(account).upload('a.txt', Buffer.alloc(2 ** 24, 'x'))
        return get(data.download_url, { apiKey })
      }
      const { server } = await sendUnread(baseUrl, (await target()).repeat(2000))
      await clock.advance(59_000)
      expect(server.destroyed).toBe(false)
      await clock.advance(60_000)
      expect(server.destroyed).toBe(true)
    })

    test('stays open while its client reads slowly', async () => {
      const clock = new ManualClock()
      const { baseUrl } = await started(clock)
      const account = { ...(await service().account(1)), baseUrl }
      const { data } = await api(account).upload('a.txt', Buffer.alloc(2 ** 25, 'x'))
      const { line, server } = await sendUnread(baseUrl, get(data.download_url, account))
      for (let minute = 0; minute < 5; minute += 1) {
        await clock.advance(55_000)
        const before = completedBytes(server)
        while (completedBytes(server) === before) {
          line.socket.resume()
          await once(line.socket, 'data')
          line.socket.pause()
        }
      }
      expect(server.destroyed).toBe(false)
      await waitUntilStalled(server)
      await clock.advance(120_000)
      expect(server.destroyed).toBe(true)
    })

    test('stays open while nothing is written to it', async () => {
      const clock = new ManualClock()
      const { baseUrl } = await started(clock)
      const [line, server] = await withServerSocket(() => openConnection(baseUrl))
      using _ = line
      line.socket.write(get('/health'))
      await line.waitForText(/\}$/)
      await clock.advance(600_000)
      expect(server.destroyed).toBe(false)
    })
  })
})

test('the same bounds protect the MCP server', async () => {
  const clock = new ManualClock()
  const large = Buffer.alloc(2 ** 25)
  const handler = {
    handle: (_: unknown, response: ServerResponse) => void response.end(large),
    sweep: async () => undefined,
    close: async () => undefined,
  }
  const server = await listenForMcp(handler, { host: '127.0.0.1', port: 0, unread: { clock } })
  onTestFinished(() => server.close())
  const seen = observeRequests(portOf(server.url))
  const { server: socket } = await sendUnread(server.url, get('/mcp').repeat(20))
  expect(seen).toEqual({ count: 1, mostUnfinished: 1, mostInTurn: 1 })
  // Its one write may take half an hour.
  await clock.advance(1_800_000)
  expect(socket.destroyed).toBe(false)
  await clock.advance(600_000)
  expect(socket.destroyed).toBe(true)
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHttpHandler, listenForMcp } from '../../src/mcp/http-server.ts'
import { limitConnections } from '../../src/platform/connection-limits.ts'
import { openLog } from '../../src/platform/log.ts'
import { api } from '../service/api.ts'
import { connectEventSocket, subscribeToAll } from './event-client.ts'
import { onOneDatabase } from './on-databases.ts'
import { openConnection, type RawConnection, sendRequest } from './raw-http.ts'
import { startSecondApp } from './second-app.ts'

/** Opens connections that begin a request and never complete its headers. Returns those that are still open. */
async function halfOpen(baseUrl: string, count: number) {
  const lines = await Promise.all(Array.from({ length: count }, () => openConnection(baseUrl)))
  for (const { socket } of lines)
    socket.write('GET /base/capabilities HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  onTestFinished(() => {
    for (const line of lines) line[Symbol.dispose]()
  })
  return { open: () => lines.filter(({ socket }) => !socket.closed).length, lines }
}

const connectionLimits = { total: 40, perAddress: 40 }

/** Opens connections, and closes them after the test. */
async function openAll(baseUrl: string, count: number, begin: (line: RawConnection) => void) {
  const lines = await Promise.all(Array.from({ length: count }, () => openConnection(baseUrl)))
  onTestFinished(() => {
    for (const line of lines) line[Symbol.dispose]()
  })
  for (const line of lines) begin(line)
  return lines
}

function get(path: string, apiKey: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${apiKey}\r\n\r\n`
}

/** An upload whose body never ends. */
function beginUpload(apiKey: string): string {
  return (
    `POST /base/file/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${apiKey}\r\nExpect: 100-continue\r\n` +
    'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n'
  )
}

describe('1,100 half-open requests', () => {
  onOneDatabase((service) => {
    test('leave room for clients, and close no connection with a valid key', async () => {
      const account = await service().account(9)
      using events = await connectEventSocket(account)
      using transfer = await openConnection(account.baseUrl)
      transfer.socket.write(
        `POST /base/file/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${account.apiKey}\r\n` +
          'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n--b\r\n',
      )
      await api(account).send('/base/capabilities')
      const { open, lines } = await halfOpen(account.baseUrl, 1100)
      await Promise.race(lines.slice(0, 800).map(({ closed }) => closed))
      expect((await sendRequest(`${account.baseUrl}/health`)).status).toBe(200)
      expect((await api(account).send('/base/capabilities')).code).toBe(200)
      await expect.poll(open).toBeLessThanOrEqual(200)
      events.send(subscribeToAll)
      await events.waitFor(({ length }) => length === 1)
      expect(transfer.socket.closed).toBe(false)
    })

    test('without complete headers a connection is closed in time, with a reason', async () => {
      const { baseUrl } = await startSecondApp(service().running.service, { timeouts: { headersMs: 200 } })
      using begun = await openConnection(baseUrl)
      begun.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
      using silent = await openConnection(baseUrl)
      await Promise.all([begun.closed, silent.closed])
      expect(await begun.waitForText(/$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6036/)
    })

    test('without complete bodies of sign-ins are closed in time', async () => {
      const { baseUrl } = await startSecondApp(service().running.service, { timeouts: { openBodyMs: 200 } })
      using line = await openConnection(baseUrl)
      line.socket.write(
        'POST /page/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      )
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6036/)
      await line.closed
    })

    test('beyond the limits a connection without a valid key gives way, then one of the key with the most', async () => {
      const [account, other] = [await service().account(9), await service().account(9)]
      const { baseUrl } = await startSecondApp(service().running.service, {
        connectionLimits: { total: 4, perAddress: 4 },
      })
      using first = await connectEventSocket({ ...account, baseUrl })
      using second = await connectEventSocket({ ...account, baseUrl })
      using anonymous = await openConnection(baseUrl)
      using waiting = await openConnection(baseUrl)
      using third = await connectEventSocket({ ...account, baseUrl })
      await anonymous.closed
      using refused = await openConnection(baseUrl)
      await waiting.closed
      refused.socket.write(get('/base/capabilities', account.apiKey))
      expect(await refused.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: \d[^]*"code":6032/)
      const cut = once(third.socket, 'close')
      using fourth = await connectEventSocket({ ...other, baseUrl })
      await cut
      for (const client of [first, second, fourth]) {
        client.send(subscribeToAll)
        expect(await client.waitFor(({ length }) => length === 1)).toMatchObject([{ event: 'snapshot' }])
      }
    })

    test('one key cannot take all connections', async () => {
      const [greedy, other] = [await service().account(9), await service().account(9)]
      const { baseUrl } = await startSecondApp(service().running.service, { connectionLimits })
      const busy = await openAll(baseUrl, 10, (line) => line.socket.write(beginUpload(greedy.apiKey)))
      await Promise.all(busy.map((line) => line.waitForText(/100 Continue/)))
      using further = await openConnection(baseUrl)
      further.socket.write(get('/base/capabilities', greedy.apiKey))
      expect(await further.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 429 [^]*"code":6032/)
      for (let turn = 0; turn < 3; turn += 1)
        expect((await api({ ...other, baseUrl }).send('/base/capabilities')).code).toBe(200)
      expect(busy.filter(({ socket }) => socket.closed)).toEqual([])
    })

    test('idle connections with keys give way to clients with other keys, the least recently used first', async () => {
      const { baseUrl } = await startSecondApp(service().running.service, { connectionLimits })
      const idle: RawConnection[] = []
      const keys: string[] = []
      for (let turn = 0; turn < 5; turn += 1) keys.push((await service().account(1)).apiKey)
      for (const apiKey of Array.from({ length: 10 }, () => keys).flat()) {
        const [line] = await openAll(baseUrl, 1, ({ socket }) =>
          socket.write(get('/base/capabilities', apiKey)),
        )
        expect(await line?.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 200 /)
        if (line) idle.push(line)
      }
      // 35 of 40 connections are for clients with keys.
      await Promise.all(idle.slice(0, 15).map(({ closed }) => closed))
      expect(idle.slice(15).filter(({ socket }) => socket.closed)).toEqual([])
    })

    test('one link cannot take all connections', async () => {
      const account = await service().account(9)
      const { baseUrl } = await startSecondApp(service().running.service, { connectionLimits })
      // More than the buffers of a connection hold.
      const { data: file } = await api(account).upload('a.txt', Buffer.alloc(32 * 2 ** 20, 'a').toString())
      const { data: link } = await api(account).send<{ url: string }>(`/base/file/${file.file_id}/link`, {
        method: 'POST',
      })
      const request = `GET ${link.url} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      for (const line of await openAll(baseUrl, 10, ({ socket }) => socket.write(request))) {
        await once(line.socket, 'data')
        line.socket.pause()
      }
      using further = await openConnection(baseUrl)
      further.socket.write(request)
      expect(await further.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 429 [^]*"code":6032/)
      expect((await api({ ...account, baseUrl }).send('/base/capabilities')).code).toBe(200)
    })
  })
})

test('an address that has reached its limit takes no connection from others', async () => {
  const server = createServer((_, response) => response.end('ok'))
  limitConnections(server, { total: 4, perAddress: 2 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const other = [await open('127.0.0.2'), await open('127.0.0.2')]
  const busy = [await open('127.0.0.3'), await open('127.0.0.3')]
  const further = await open('127.0.0.3')
  await once(busy[0] as Socket, 'close')
  for (const socket of [...other, busy[1], further]) {
    socket?.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [response] = (await once(socket as Socket, 'data')) as [Buffer]
    expect(response.toString()).toContain('200 OK')
  }
})

test('the same limits protect the MCP server', async () => {
  const handler = createHttpHandler({
    open: () => {
      throw new Error('no key is valid here')
    },
    clock: Date.now,
    log: openLog({ level: 'silent' }),
  })
  const server = await listenForMcp(handler, {
    host: '127.0.0.1',
    port: 0,
    limits: { total: 20, perAddress: 20 },
  })
  onTestFinished(() => server.close())
  const { open, lines } = await halfOpen(server.url, 100)
  await Promise.race(lines.map(({ closed }) => closed))
  expect((await fetch(server.url)).status).toBe(401)
  await expect.poll(open).toBeLessThanOrEqual(20)
})

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findDaemon } from '../../src/daemon/find-or-start.ts'
import { computeProof } from '../../src/platform/hosting.ts'
import { sampleCases } from '../soak-size.ts'
import { findTestDaemon, newDataFolder, readRunningRecord } from './daemon-fixtures.ts'

vi.setConfig({ testTimeout: 30_000 })

const exitedDaemon = {
  pid: 4_000_000,
  start_time: 'boot/1',
  key: 'the key of the daemon that is gone',
  version: '0.1.0',
  instance: 'gone',
}

/** Runs another program on the port that a dead daemon announced, and collects all data sent to it. */
async function announceImpostor(dataDir: string, server: Server) {
  const received: string[] = []
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => received.push(bytes.toString('latin1')))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  await writeFile(join(dataDir, 'daemon.json'), JSON.stringify({ ...exitedDaemon, port }))
  return { port, received }
}

/** A server that responds to every request with a fixed text. */
function respondWith(text: string): Server {
  return createServer((socket) => socket.once('data', () => socket.end(text)))
}

const jsonResponse = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`

const impostors: Record<string, () => Server> = {
  'does not speak HTTP': () => respondWith('SSH-2.0-OpenSSH_9.2\r\n'),
  'closes the connection': () => createServer((socket) => socket.destroy()),
  'never responds': () => createServer(),
  'returns a proof for another key': () =>
    createHttpServer((request, response) => {
      const nonce = new URL(request.url ?? '', 'http://localhost').searchParams.get('nonce') ?? ''
      response.end(
        JSON.stringify({
          instance: exitedDaemon.instance,
          proof: computeProof('guess', nonce, exitedDaemon.instance),
        }),
      )
    }),
  'returns another document': () => respondWith(jsonResponse('<html>')),
  'returns an empty proof': () =>
    respondWith(jsonResponse(JSON.stringify({ instance: exitedDaemon.instance, proof: '' }))),
  redirects: () =>
    respondWith('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/health\r\ncontent-length: 0\r\n\r\n'),
  'switches protocols': () =>
    respondWith('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  'sends less than announced': () =>
    createServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')),
    ),
  'sends endless data': () =>
    createHttpServer((_, response) => {
      const writeMore = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', writeMore)
      }
      writeMore()
    }),
}

const cases = Object.entries(impostors)

test.each(cases)(
  'a program on the port that %s never sees the key, and is not the daemon',
  async (_, impostor) => {
    const dataDir = await newDataFolder()
    const { received } = await announceImpostor(dataDir, impostor())
    expect(await findDaemon(dataDir)).toBeNull()
    expect(received.join('')).not.toContain(exitedDaemon.key)
  },
)

// A start asks the announced port in the same way as the search above.
test.each(sampleCases(cases, 4))(
  'a daemon is started beside a program on its port that %s, which never sees a key',
  async (_, impostor) => {
    const dataDir = await newDataFolder()
    const { port, received } = await announceImpostor(dataDir, impostor())
    const found = await findTestDaemon(dataDir)
    expect(found.baseUrl).not.toBe(`http://127.0.0.1:${port}`)
    expect((await readRunningRecord(dataDir)).instance).toBe(found.instance)
    for (const secret of [exitedDaemon.key, found.apiKey]) expect(received.join('')).not.toContain(secret)
  },
)

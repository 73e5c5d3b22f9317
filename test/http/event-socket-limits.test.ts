import { expect, onTestFinished, test } from 'vitest'
import { api } from '../service/api.ts'
import { connectEventSocket, createTestTask, type EventClient, subscribeToAll } from './event-client.ts'
import { onOneDatabase } from './on-databases.ts'
import { openConnection, type RawConnection } from './raw-http.ts'
import { withServerSocket } from './server-sockets.ts'

const handshake = (apiKey: string) =>
  'GET /task/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: ${apiKey}\r\n\r\n`

/** A frame of a client (RFC 6455, section 5.2) with a mask of zeros; at most 125 bytes. */
function maskedFrame(opcode: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

const textFrame = (text: string) => maskedFrame(1, text)
const invalid = textFrame('x')
const countOf = (text: string, part: string) => text.split(part).length - 1

/** Opens an event socket without a client that reads frames, and the server's side of it. */
async function openRaw({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const [line, serverSide] = await withServerSocket(() => openConnection(baseUrl))
  line.socket.write(handshake(apiKey))
  await line.waitForText(/\r\n\r\n/)
  return { line, serverSide }
}

/** Close code of the service, once the connection has closed. */
async function closeText(line: RawConnection): Promise<string> {
  await line.closed
  return await line.waitForText(/$/)
}

onOneDatabase((service) => {
  test('an event socket that sends thousands of messages at once is closed with 1008', async () => {
    const account = await service().account(1)
    for (const message of [invalid, textFrame(JSON.stringify(subscribeToAll))]) {
      const { line } = await openRaw(account)
      using _ = line
      line.socket.write(Buffer.concat(Array<Buffer>(9000).fill(message)))
      const text = await closeText(line)
      expect(text).toContain('\x03\xf0more than 128 messages wait for a response')
      expect(countOf(text, '"event"')).toBeLessThanOrEqual(128)
    }
  })

  test('the responses to one chunk of messages are sent one after another, and others have their turns', async () => {
    const account = await service().account(1)
    const taskId = await createTestTask(api(account))
    const { line, serverSide } = await openRaw(account)
    using _ = line
    const textBytes = 2 ** 18
    await service()
      .running.service.db.updateTable('tasks')
      .set({ status: 'completed', output: JSON.stringify({ text: 'x'.repeat(textBytes) }) })
      .where('id', '=', taskId)
      .execute()
    let turns = 0
    let turn = setImmediate(function next() {
      turns += 1
      turn = setImmediate(next)
    })
    onTestFinished(() => clearImmediate(turn))
    let most = 0
    let end = ''
    const answered = Promise.withResolvers<void>()
    line.socket.on('data', (chunk: Buffer) => {
      most = Math.max(most, serverSide.writableLength)
      end = (end + chunk.toString('latin1')).slice(-500)
      if (end.includes('"code":6005')) answered.resolve()
    })
    const subscribe = (id: string) => textFrame(JSON.stringify({ action: 'subscribe', task_id: id }))
    const messages = Array.from({ length: 40 }, () => [subscribe(taskId), invalid]).flat()
    line.socket.write(Buffer.concat([...messages, subscribe('unknown')]))
    await answered.promise
    expect(most).toBeLessThan(textBytes + 4096)
    expect(turns).toBeGreaterThanOrEqual(80)
  })

  test('100 subscriptions in one chunk are accepted', async () => {
    const account = await service().account(1)
    const taskId = await createTestTask(api(account))
    const { line } = await openRaw(account)
    using _ = line
    const subscription = textFrame(JSON.stringify({ action: 'subscribe', task_id: taskId }))
    line.socket.write(Buffer.concat([...Array<Buffer>(100).fill(subscription), invalid]))
    expect(countOf(await line.waitForText(/"event":"error"/), '"event":"snapshot"')).toBe(100)
  })

  test('a key has at most 32 event sockets; a further one gets 6032 until one closes', async () => {
    const account = await service().account(1)
    const clients: EventClient[] = []
    for (let count = 0; count < 32; count += 1) clients.push(await connectEventSocket(account))
    using refused = await openConnection(account.baseUrl)
    refused.socket.write(handshake(account.apiKey))
    expect(await refused.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: \d[^]*"code":6032/)
    using other = await connectEventSocket(await service().account(1))
    other.send(subscribeToAll)
    await other.waitFor(({ length }) => length === 1)
    clients.pop()?.socket.close()
    const free = async () => {
      using line = await openConnection(account.baseUrl)
      line.socket.write(handshake(account.apiKey))
      return (await line.waitForText(/\r\n\r\n/)).slice(0, 12)
    }
    await expect.poll(free).toBe('HTTP/1.1 101')
    for (const client of clients) client.socket.close()
  })
})

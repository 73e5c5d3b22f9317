import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { fakeModule } from '../service/fake-operation.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestAccount } from '../service/in-process.ts'

const mebibyte = 2 ** 20

/** A service with an operation whose bodies may have 32 MiB. */
const start = (rateLimits?: Readonly<Record<string, number>>) =>
  startTestService({
    operations: [{ ...fakeModule, operation: { ...fakeModule.operation, maxBodyBytes: 32 * mebibyte } }],
    ...(rateLimits && { rateLimits }),
  })

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Opens a creation with the given headers, and sends the beginning of its body only. */
async function openCreation(
  { baseUrl, apiKey }: TestAccount,
  headers: readonly string[],
  begin: string | Buffer = '',
): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.on('error', () => undefined)
  const head = [
    'POST /task/test_copy HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: ${apiKey}`,
    'Content-Type: application/json',
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  if (begin.length > 0) socket.write(begin)
  await once(socket, 'connect')
  return socket
}

/** The beginning of a response, as text. */
async function responseOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString()
}

const declared = (bytes: number) => [`Content-Length: ${bytes}`]

/** A body that is padded with spaces. */
const paddedBody = (bytes: number) => '{"file_id":7}'.padEnd(bytes, ' ')

test('bodies of one account may have 64 MiB at once; further ones are rejected with the time to wait', async () => {
  await using service = await start()
  const [hostile, other] = [await service.account(1), await service.account(1)]
  const accepted = [
    await openCreation(hostile, declared(32 * mebibyte)),
    await openCreation(hostile, declared(32 * mebibyte)),
  ]
  const refused = await openCreation(hostile, declared(mebibyte))
  const response = await responseOf(refused)
  expect(response).toMatch(/^HTTP\/1\.1 429 /)
  expect(response).toMatch(/^retry-after: \d+\r$/im)
  expect(response).toMatch(
    /"code":6032,"msg":"the bodies of this account's unfinished requests would exceed 64 MiB/,
  )

  expect((await api(hostile).create('test_copy', { file_id: 7 })).code, 'a small body').toBe(6016)
  const large = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: paddedBody(mebibyte),
  }
  expect((await api(other).send('/task/test_copy', large)).code, 'another account').toBe(6016)

  for (const socket of accepted) socket.destroy()
  const freed = async () => (await api(hostile).send('/task/test_copy', large)).code
  await expect.poll(freed, { timeout: 10_000 }).toBe(6016)
})

test('a body of unknown length counts as it arrives', async () => {
  await using service = await start()
  const account = await service.account(1)
  const part = Buffer.alloc(24 * mebibyte, ' ')
  const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  const sent = []
  for (let count = 0; count < 3; count += 1)
    sent.push(await openCreation(account, ['Transfer-Encoding: chunked'], chunk))
  expect(await Promise.race(sent.map(responseOf))).toMatch(/^HTTP\/1\.1 429 /)
})

test('bodies of all accounts may have 256 MiB at once', async () => {
  await using service = await start()
  const accounts = []
  for (let count = 0; count < 5; count += 1) accounts.push(await service.account(1))
  const [last, ...others] = accounts
  if (!last) throw new Error('there is no account')
  for (const account of others)
    for (let count = 0; count < 2; count += 1) await openCreation(account, declared(32 * mebibyte))
  // Requests of another connection may be handled first.
  const refusal = async () => {
    const socket = await openCreation(last, declared(mebibyte), paddedBody(mebibyte))
    return await responseOf(socket)
  }
  await expect.poll(refusal, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 429 /)
})

test('a rejected rate is reported before the body is sent', async () => {
  await using service = await start({ test_copy: 1 })
  const account = await service.account(1)
  expect((await api(account).create('test_copy', {})).code).toBe(6013)
  const socket = await openCreation(account, declared(mebibyte))
  expect(await responseOf(socket)).toMatch(/"code":6032,"msg":"test_copy accepts at most 1 request/)
})

test('quotes have a limit of their own, whatever the price', async () => {
  await using service = await start({ quote: 2 })
  const account = await service.account(1)
  const quote = async () =>
    (
      await api(account).send('/task/test_copy/quote', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    ).code
  expect([await quote(), await quote(), await quote()]).toEqual([6013, 6013, 6032])
  expect((await api(account).create('test_copy', {})).code).toBe(6013)
})

import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runDaemon } from '../../src/daemon/run-daemon.ts'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { openLog } from '../../src/platform/log.ts'
import { startService } from '../../src/service/service.ts'
import { api, pollUntil } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { onOneDatabase } from './on-databases.ts'
import { form, formType, openConnection } from './raw-http.ts'

/** Longest shutdown with idle connections, ms; the idle timeout is 2 s. */
const maxShutdownMs = 5_000

const head = ({ apiKey }: { apiKey: string }, first: string, ...headers: string[]) =>
  `${[first, 'Host: localhost', `Authorization: ${apiKey}`, ...headers].join('\r\n')}\r\n\r\n`

/** Starts an upload that stalls. */
async function startStalledUpload(service: { baseUrl: string; apiKey: string }) {
  const line = await openConnection(service.baseUrl)
  const headers = [`Content-Type: ${formType}`, 'Content-Length: 1000000']
  line.socket.write(head(service, 'POST /base/file/upload HTTP/1.1', ...headers))
  line.socket.write(
    form([{ field: 'file', filename: 'a.txt', content: 'x'.repeat(1000) }], { closed: false }),
  )
  return line
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const began = Date.now()
  await work()
  return Date.now() - began
}

async function startOwnService(): Promise<TestService> {
  const service = await startTestService()
  onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }))
  return service
}

describe('shutdown', () => {
  test('does not wait for idle clients, partial requests or stalled uploads', async () => {
    const service = await startOwnService()
    using idleConnection = await openConnection(service.baseUrl)
    using half = await openConnection(service.baseUrl)
    half.socket.write('POST /task/test_copy HTTP/1.1\r\nHost: localhost\r\n')
    using upload = await startStalledUpload(service)
    await pollUntil(
      () => readdir(join(service.dataDir, 'files', 'incoming')),
      ({ length }) => length === 1,
    )
    expect(await measureMs(() => service.running.close())).toBeLessThan(maxShutdownMs)
    await Promise.all([idleConnection.closed, half.closed, upload.closed])
    expect(await readdir(join(service.dataDir, 'files', 'incoming'))).toEqual([])
  })

  test('does not wait for a connection that requests an upgrade meanwhile', async () => {
    const service = await startOwnService()
    using line = await openConnection(service.baseUrl)
    line.socket.write('GET /task/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n')
    // The service has accepted the connection.
    await fetch(`${service.baseUrl}/health`)
    const closed = measureMs(() => service.running.close())
    line.socket.write('Upgrade: websocket\r\n\r\n')
    expect(await closed).toBeLessThan(maxShutdownMs)
    await line.closed
  })

  test('waits for a running download, but not for its connection afterwards', async () => {
    const service = await startOwnService()
    // Several times the buffers of a connection.
    const size = 30_000_000
    const { data } = await api(service).upload('a.txt', Buffer.alloc(size, 'x'))
    using line = await openConnection(service.baseUrl)
    line.socket.write(head(service, `GET ${data.download_url} HTTP/1.1`, 'Connection: keep-alive'))
    await line.waitForText(/\r\n\r\n/)
    line.socket.pause()
    const closed = measureMs(() => service.running.close())
    // Reads slowly, but never pauses for the idle timeout.
    const readTimer = setInterval(() => {
      line.socket.resume()
      setTimeout(() => line.socket.pause(), 10)
    }, 100)
    await line.closed
    clearInterval(readTimer)
    expect(line.socket.bytesRead).toBeGreaterThan(size)
    await closed
  })

  test('rejects new requests', async () => {
    const service = await startOwnService()
    await service.running.close()
    await expect(fetch(`${service.baseUrl}/health`)).rejects.toThrow('fetch failed')
  })
})

describe('a client that disconnects', () => {
  onOneDatabase((service) => {
    test('during downloads leaves no file open', async () => {
      const { data } = await api(service()).upload('a.txt', 'y'.repeat(10_000_000))
      for (let turn = 0; turn < 10; turn++) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(head(service(), `GET ${data.download_url} HTTP/1.1`))
        await line.waitForText(/\r\n\r\n/)
      }
      const open = await pollUntil(
        () => openFiles(data.blake3_id),
        ({ length }) => length === 0,
      )
      expect(open).toEqual([])
      await pollUntil(
        () => service().running.isBusy(),
        (busy) => !busy,
      )
    })
  })
})

/** File descriptors of this process whose path contains a text; Linux only. */
async function openFiles(text: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return paths.filter((path) => path.includes(text))
}

test('the daemon refuses to exit during an upload or task, and exits on request afterwards', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-exit-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const log = openLog({ file: join(dataDir, 'daemon.log') })
  const worker = { module: join(import.meta.dirname, '..', 'service', 'entry.ts'), args: ['worker'] }
  const exited = runDaemon({
    dataDir,
    isOutdated: async () => false,
    version: '0.0.0-test',
    log,
    startService: (side) => startService({ ...side, dataDir, log, worker, operations: [fakeModule] }),
  })
  const record = await pollUntil(
    () => readDaemonRecord(dataDir),
    (found) => (found?.port ?? 0) > 0,
  )
  const service = { baseUrl: `http://127.0.0.1:${record?.port}`, apiKey: record?.key ?? '' }
  const requestExit = () => api(service).send('/daemon/exit', { method: 'POST' })

  using upload = await startStalledUpload(service)
  await pollUntil(requestExit, ({ status }) => status === 409)
  upload.socket.destroy()
  const { data: file } = await api(service).upload('a.txt', 'bytes')
  const { data: task } = await api(service).create('test_copy', { file_id: file.file_id })
  expect(await requestExit()).toMatchObject({ status: 409, code: 6007, data: null })
  await pollUntil(
    () => api(service).query('test_copy', task.task_id),
    ({ data }) => data.status === 'completed',
  )
  expect(await pollUntil(requestExit, ({ status }) => status === 200)).toMatchObject({ code: 200, data: '' })
  expect(await exited).toBe(0)
  expect(await readDaemonRecord(dataDir)).toBeNull()
})

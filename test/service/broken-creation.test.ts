import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createTask, waitForTask } from '../../src/client/tasks.ts'
import type { TaskList } from '../../src/contract/task.ts'
import { sendRequest } from '../http/raw-http.ts'
import { api } from './api.ts'
import { startServiceProcess, type ServiceProcess } from './process.ts'

/** One address for successive services; an interrupted request to the service is interrupted for the client. */
async function startProxy(
  service: () => Promise<ServiceProcess>,
): Promise<{ baseUrl: string; apiKey: string }> {
  const server = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const body = await buffer(request)
      const { baseUrl, apiKey } = await service()
      const { host: _, connection: __, ...forwardedHeaders } = request.headers as Record<string, string>
      const upstreamResponse = await sendRequest(baseUrl + request.url, {
        method: request.method === 'POST' ? 'POST' : 'GET',
        headers: { ...forwardedHeaders, authorization: apiKey },
        ...(body.length > 0 && { body }),
      })
      response
        .writeHead(upstreamResponse.status, { 'content-type': 'application/json' })
        .end(upstreamResponse.bytes)
    }
    forward().catch(() => request.socket.destroy())
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { baseUrl: `http://127.0.0.1:${address.port}`, apiKey: 'any' }
}

test.for(['submit.before-commit', 'submit.after-commit'])(
  'a service killed at %s, before its response, has created exactly one task after its restart',
  async (point) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-broken-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const firstService = await startServiceProcess(dataDir)
    await firstService.arm(point)
    const { data: file } = await api(firstService).upload('a.txt', 'some bytes')
    let running = Promise.resolve(firstService)
    const restarted = firstService.exited.then(() => {
      running = startServiceProcess(dataDir)
      return running
    })
    onTestFinished(async () => (await restarted).kill('SIGKILL'))
    const proxy = await startProxy(() => running)

    const client = createClient(proxy)
    const task = await createTask(client, { task_type: 'test_copy', body: { file_id: file.file_id } })
    expect(firstService.process.signalCode, 'the failpoint was reached').toBe('SIGKILL')
    const done = await waitForTask(client, task, { signal: new AbortController().signal })
    expect(done).toMatchObject({ task_id: task.task_id, status: 'completed' })
    const { data } = await api(await restarted).send<TaskList>('/task/list')
    expect(data.list.map(({ id }) => id)).toEqual([task.task_id])
    await client.close()
  },
)

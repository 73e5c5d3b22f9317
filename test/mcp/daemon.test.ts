import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { type AgentSession, type ConnectedAgent, stopDaemon, startAgentSession } from './agent-session.ts'
import { pollUntil } from '../service/api.ts'
import { soakSize } from '../soak-size.ts'
import { suspendProcesses, findProcesses, waitUntilExited } from '../service/processes.ts'

const run = promisify(execFile)

const servers = soakSize(2, 8)

const open = new AsyncDisposableStack()
let agentSession: AgentSession
let connected: readonly ConnectedAgent[]

beforeAll(async () => {
  agentSession = open.use(await startAgentSession())
  // Long enough that ffmpeg is still running.
  await agentSession.createClip('testsrc2=s=160x90:r=15', 'left.mp4', 4)
  connected = await Promise.all(
    Array.from({ length: servers }, async () => open.use(await agentSession.connect('modern'))),
  )
})
afterAll(() => open.disposeAsync())

test(`${servers} servers started at once share one daemon`, async () => {
  const all = await Promise.all(connected.map((agent) => agent.call('service_status')))
  expect(all.map(({ data }) => data['reachable'])).toEqual(connected.map(() => true))
  const log = await readFile(join(agentSession.dataDir, 'daemon.log'), 'utf8')
  expect(log.match(/daemon started/g)).toHaveLength(1)
})

test('after a daemon is killed during an encode, another server restarts it for all, and the task runs once', async () => {
  const [listener, other] = connected
  if (!listener || !other) throw new Error('fewer than two servers')
  const clips = [{ file_id: 'left.mp4' }, { file_id: 'left.mp4' }]
  const { data: started } = await listener.call('video_split_screen', {
    ...{ clips, quality: '720p', wait_seconds: 0 },
  })
  // Suspended, so that it cannot finish before the daemon is killed.
  const encoders = await suspendProcesses([
    () => findProcesses('libx264', join(agentSession.dataDir, 'scratch')),
  ])
  const updated: string[] = []
  listener.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri)
  })
  const uri = `media://tasks/${String(started['task_id'])}`
  await listener.client.listen({ resourceSubscriptions: [uri] })
  await pollUntil(
    async () => updated.length,
    (count) => count > 0,
  )
  const killed = await readDaemonRecord(agentSession.dataDir)
  await stopDaemon(agentSession.dataDir, 'SIGKILL')
  // No ffmpeg remains.
  await waitUntilExited(encoders)
  updated.length = 0
  // The listener calls nothing, and receives updates again.
  const { data: found } = await other.call('get_task', { task_id: started['task_id'], wait_seconds: 0 })
  expect(found).toMatchObject({ task_id: started['task_id'], task_type: 'video_split_screen' })
  await pollUntil(
    async () => updated,
    (uris) => uris.includes(uri),
  )

  const pollTask = () => listener.call('get_task', { task_id: started['task_id'], wait_seconds: 45 })
  let { data: done } = await pollTask()
  // On a loaded machine, the encode takes longer than one call waits.
  while (['queued', 'processing'].includes(String(done['status']))) done = (await pollTask()).data
  expect(done).toMatchObject({ status: 'completed' })
  expect((await readDaemonRecord(agentSession.dataDir))?.pid).not.toBe(killed?.pid)
  const { data: list } = await listener.call('list_tasks')
  expect(list['tasks']).toHaveLength(1)
  const [file] = done['files'] as { path: string }[]
  await run('ffmpeg', ['-v', 'error', '-xerror', '-i', file?.path ?? '', '-f', 'null', '-'])
})

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { stopDaemon, startAgentSession } from './agent-session.ts'
import { pollUntil } from '../service/api.ts'
import { soakSize } from '../soak-size.ts'
import { suspendProcesses, findProcesses, waitUntilExited } from '../service/processes.ts'

const run = promisify(execFile)

const servers = soakSize(2, 8)

test(`${servers} servers started at once share one daemon; after it is killed during an encode, no ffmpeg remains, another server restarts it, a subscriber receives updates again, and the task runs once`, async () => {
  await using agentSession = await startAgentSession()
  // Long enough that ffmpeg is still running.
  await agentSession.createClip('testsrc2=s=160x90:r=15', 'left.mp4', 4)
  await using agents = new AsyncDisposableStack()
  const connected = await Promise.all(
    Array.from({ length: servers }, async () => agents.use(await agentSession.connect('modern'))),
  )
  const [listener, other] = connected
  if (!listener || !other) throw new Error('fewer than two servers')
  const all = await Promise.all(connected.map((agent) => agent.call('service_status')))
  expect(all.map(({ data }) => data['reachable'])).toEqual(connected.map(() => true))
  const log = await readFile(join(agentSession.dataDir, 'daemon.log'), 'utf8')
  expect(log.match(/daemon started/g)).toHaveLength(1)

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
  await waitUntilExited(encoders)
  updated.length = 0
  // The listener calls nothing.
  expect((await other.call('service_status')).data['reachable']).toBe(true)
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

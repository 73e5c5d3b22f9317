import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Capabilities } from '../../src/contract/catalog.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { startAgentSession, type AgentSession } from '../mcp/agent-session.ts'
import { runCommand } from '../run-command.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { startMirror } from './mirror.ts'
import { sampleCases } from '../soak-size.ts'

// The download of a model on first use, as an agent sees it.

const { file, bytes } = manifest['text-detection'].artifact
const download = /^downloading text-detection \(2\.3 MiB, needed once\)/

// The doctor configures them in this process.
afterAll(() => configureServices({}))

/** A session with a picture, whose service downloads models from a mirror. */
async function startSessionWithMirror(mirror: string): Promise<AgentSession> {
  const agentSession = await startAgentSession()
  await mkdir(agentSession.dataDir, { recursive: true })
  await writeFile(
    join(agentSession.dataDir, 'reelwright.config.json'),
    JSON.stringify({ models_mirror: mirror }),
  )
  const picture = join(agentSession.workspace, 'a.png')
  await ffmpeg(...['-f', 'lavfi', '-i', 'color=teal:s=120x80', '-frames:v', '1'], picture)
  return agentSession
}

/** A download that is interrupted, and one that cannot start. */
const downloads = {
  async 'readiness, state and next step name the pack, its size and the attempt'() {
    await using mirror = await startMirror({ [file]: Buffer.alloc(bytes) })
    mirror.cuts.push(1_000_000)
    mirror.stallAfter = 500_000
    await using agentSession = await startSessionWithMirror(mirror.address)
    await using agent = await agentSession.connect('modern')
    // The short status names downloads only where what is not ready leaves room for them.
    const { service } = (await agent.call('service_status', { details: true })).data as {
      readonly service: Capabilities
    }
    const waiting = service.operations.filter((one) => one.first_download?.packs.join() === 'text-detection')
    expect(waiting.map(({ name }) => name)).toEqual(['image_purify', 'material_describe', 'video_purify'])
    expect(waiting.map((one) => one.first_download?.bytes)).toEqual(waiting.map(() => bytes))
    const { out } = await runCommand(['doctor', '--data-dir', agentSession.dataDir])
    expect(out).toMatch(
      /^ok +operations +image_purify, material_describe, video_purify: ready after a download of 2\.3 MiB \(text-detection\)$/m,
    )

    const { data } = await agent.call('image_purify', { file_id: 'a.png', wait_seconds: 0 })
    const query = async () =>
      (await agent.call('get_task', { task_id: data['task_id'], wait_seconds: 0 })).data
    await mirror.waitForStall()
    await expect.poll(async () => (await query())['note']).toMatch(/, attempt 2: \d+ %$/)
    const { note, next_step } = await query()
    expect(note).toMatch(download)
    expect(next_step).toContain(`Not finished; it is ${String(note)}.`)

    mirror.files.clear()
    mirror.closeConnections()
    await expect.poll(async () => (await query())['status']).toBe('failed')
    const failed = await query()
    expect(failed).not.toHaveProperty('note')
    expect(failed['error']).toMatchObject({
      code: 6401,
      hint: expect.stringContaining('models pull text-detection'),
    })
  },
  async 'a host that cannot be found fails the task at once, with the fix'() {
    // A label of 64 characters is invalid, so that no name server is asked.
    await using agentSession = await startSessionWithMirror(`https://${'x'.repeat(64)}.example/`)
    await using agent = await agentSession.connect('modern')
    const { data } = await agent.call('image_purify', { file_id: 'a.png', wait_seconds: 40 })
    expect(data).toMatchObject({
      status: 'failed',
      error: {
        ...{ code: 6401, retryable: false },
        message: expect.stringMatching(/the host x+\.example was not found$/),
        hint: expect.stringMatching(
          /Connect this machine to the internet.*REELWRIGHT_MODELS_MIRROR.*purify_scope "region" with regions/,
        ),
      },
    })
  },
}

test.each(sampleCases(Object.entries(downloads), 1))('%s', async (_, check) => await check())

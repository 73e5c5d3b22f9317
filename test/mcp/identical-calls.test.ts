import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitUntil } from './temporary-folder.ts'
import { createClips, eras, startInProcessAgent } from './stdio-client.ts'

const joinedTask = /^This is the unfinished task of an earlier equal call\. .*force_new/

describe.each(eras)('identical calls of a %s client', (era) => {
  test('return the unfinished task, whatever the file names', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const input = { ...(await createClips(agent)), wait_seconds: 0 }
    const first = await agent.call('video_split_screen', input)
    expect(first.data['next_step']).not.toMatch(joinedTask)
    const { task_id } = first.data
    const again = await agent.call('video_split_screen', { ...input, save_to: 'elsewhere' })
    expect(again).toMatchObject({ isError: false, data: { task_id, status: 'queued' } })
    expect(again.data['next_step']).toMatch(joinedTask)
    expect(again.data['next_step'], 'save_to of the second call').toContain('save_to "elsewhere"')
    const plain = await agent.call('video_split_screen', input)
    expect(plain.data['next_step'], 'save_to is remembered').toContain('save_to "elsewhere"')
    const byId = { clips: [...agent.service.files.keys()].map((file_id) => ({ file_id })), wait_seconds: 0 }
    expect((await agent.call('video_split_screen', byId)).data).toMatchObject({ task_id })
    expect(agent.service.tasks.size).toBe(1)

    const fresh = await agent.call('video_split_screen', { ...input, force_new: true })
    expect(fresh.data['task_id']).not.toBe(task_id)
    expect(fresh.data['next_step']).not.toMatch(joinedTask)
    await copyFile(join(agent.workspace, 'left.mp4'), join(agent.workspace, 'copy.mp4'))
    const copied = { ...input, clips: [{ file_id: 'copy.mp4' }, input.clips[1]] }
    expect((await agent.call('video_split_screen', copied)).data['next_step']).toMatch(joinedTask)
    expect(agent.service.tasks.size).toBe(2)

    {
      await using restarted = await startInProcessAgent(era, {}, { service: agent.service })
      const later = { ...(await createClips(restarted)), wait_seconds: 0 }
      const response = await restarted.call('video_split_screen', later)
      expect(response.data['next_step'], 'new server, other folders').toMatch(joinedTask)
    }
    await writeFile(join(agent.workspace, 'left.mp4'), 'another clip under the same name')
    const other = await agent.call('video_split_screen', input)
    expect(other.data['next_step']).not.toMatch(joinedTask)
    agent.service.updateTask(String(other.data['task_id']), { status: 'failed' })
    const afterwards = await agent.call('video_split_screen', input)
    expect(afterwards.data['next_step'], 'the first task has ended').not.toMatch(joinedTask)
    expect(agent.service.tasks.size).toBe(4)
  })

  test('share a running upload and its task', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const gate = Promise.withResolvers<void>()
    agent.service.uploadGate = gate.promise
    const input = { ...(await createClips(agent)), wait_seconds: 0 }
    // An explicit default is the same as an absent field.
    const calls = [input, { ...input, audio_mode: 'first' }].map((each) =>
      agent.call('video_split_screen', each),
    )
    await waitUntil(() => agent.service.requests.includes('POST /base/file/upload'), 'the upload began')
    // The server has read the second call once it responds to a later request.
    await agent.call('list_tasks')
    gate.resolve()
    const responses = await Promise.all(calls)
    expect(new Set(responses.map(({ data }) => data['task_id'])).size).toBe(1)
    expect(responses.filter(({ data }) => joinedTask.test(String(data['next_step'])))).toHaveLength(1)
    expect(
      agent.service.requests.filter((request) => request === 'POST /task/video_split_screen'),
    ).toHaveLength(1)
  })
})

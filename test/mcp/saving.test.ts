import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadUrl } from '../../src/contract/routes.ts'
import { clips, startAgentHere } from './stdio-client.ts'

/** What an answer says of one saved file. */
interface Saved {
  readonly path: string
  readonly note?: string
}

test.each([
  ['final.mp4', 'final.mp4'],
  ['final.MP4', 'final.MP4'],
  ['folder.mp4/', 'folder.mp4/left.mp4'],
  ['v1.2', 'v1.2/left.mp4'],
])('save_to %s becomes %s', async (save_to, expected) => {
  await using agent = await startAgentHere('modern')
  const { data } = await agent.call('video_split_screen', { ...(await clips(agent)), save_to })
  expect(data['files']).toEqual([
    expect.objectContaining({ path: join(agent.workspace, expected), role: 'result' }),
  ])
  expect(data['files']).not.toEqual([expect.objectContaining({ note: expect.anything() })])
})

test('a result of another type than save_to says gets its own extension, and that is told', async () => {
  await using agent = await startAgentHere('modern')
  const { data } = await agent.call('video_split_screen', {
    ...(await clips(agent)),
    save_to: 'out/final.mov',
  })
  const [file] = data['files'] as Saved[]
  expect(file?.path).toBe(join(agent.workspace, 'out/final.mp4'))
  expect(file?.note).toMatch(/\.mp4.*\.mov/)
  expect(data['next_step']).toContain(file?.note)
  expect(await readdir(join(agent.workspace, 'out'))).toEqual(['final.mp4'])
})

test('so does a download; .jpg and .jpeg are one type', async () => {
  await using agent = await startAgentHere('modern')
  const { id } = await agent.service.hold('clip.mp4', Buffer.from('a clip'))
  const { data } = await agent.call('download_file', { file_id: id, save_to: 'copy.mp3' })
  expect(data['path']).toBe(join(agent.workspace, 'copy.mp4'))
  expect(data['next_step']).toMatch(/\.mp3.*copy\.mp4/)
  const photo = await agent.service.hold('photo.jpg', Buffer.from('a photo'))
  const saved = await agent.call('download_file', { file_id: photo.id, save_to: 'photo.jpeg' })
  expect(saved.data).toMatchObject({ path: join(agent.workspace, 'photo.jpeg') })
  expect(saved.data).not.toHaveProperty('note')
})

test('several results are not saved under the name of one', async () => {
  await using agent = await startAgentHere('modern')
  const held = [
    await agent.service.hold('tune.mid', Buffer.from('notes')),
    await agent.service.hold('tune.mp3', Buffer.from('sound')),
  ]
  agent.service.onCreate = (task) => {
    task.status = 'completed'
    const [midi, audio] = held.map(({ id }) => id)
    task.output = {
      midi_file_id: midi,
      midi_download_url: downloadUrl(midi ?? ''),
      audio_file_id: audio,
      audio_download_url: downloadUrl(audio ?? ''),
    }
  }
  const { data } = await agent.call('video_split_screen', { ...(await clips(agent)), save_to: 'tune.mid' })
  expect(data).toMatchObject({ status: 'completed' })
  expect(data['next_step']).toMatch(/not saved\. 6016: .*2 files.* Fix: .*folder/)
  const again = await agent.call('get_task', { task_id: data['task_id'], save_to: 'tune' })
  const files = again.data['files'] as Saved[]
  expect(files.map(({ path }) => path)).toEqual(
    ['tune.mid', 'tune.mp3'].map((name) => join(agent.workspace, 'tune', name)),
  )
  expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('notes')
})

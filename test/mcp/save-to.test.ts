import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadUrl } from '../../src/contract/routes.ts'
import { createClips, startInProcessAgent, type Agent } from './stdio-client.ts'

/** A saved file in a tool response. */
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
  await using agent = await startInProcessAgent('modern')
  const { data } = await agent.call('video_split_screen', { ...(await createClips(agent)), save_to })
  expect(data['files']).toEqual([
    expect.objectContaining({ path: join(agent.workspace, expected), role: 'result' }),
  ])
  expect(data['files']).not.toEqual([expect.objectContaining({ note: expect.anything() })])
})

test('a result of another type than save_to gets its own extension, and a note', async () => {
  await using agent = await startInProcessAgent('modern')
  const { data } = await agent.call('video_split_screen', {
    ...(await createClips(agent)),
    save_to: 'out/final.mov',
  })
  const [file] = data['files'] as Saved[]
  expect(file?.path).toBe(join(agent.workspace, 'out/final.mp4'))
  expect(file?.note).toMatch(/\.mp4.*\.mov/)
  expect(data['next_step']).toContain(file?.note)
  expect(await readdir(join(agent.workspace, 'out'))).toEqual(['final.mp4'])
})

test('a download also gets its own extension; .jpg and .jpeg are one type', async () => {
  await using agent = await startInProcessAgent('modern')
  const { id } = await agent.service.addFile('clip.mp4', Buffer.from('a clip'))
  const { data } = await agent.call('download_file', { file_id: id, save_to: 'copy.mp3' })
  expect(data['path']).toBe(join(agent.workspace, 'copy.mp4'))
  expect(data['next_step']).toMatch(/\.mp3.*copy\.mp4/)
  const photo = await agent.service.addFile('photo.jpg', Buffer.from('a photo'))
  const saved = await agent.call('download_file', { file_id: photo.id, save_to: 'photo.jpeg' })
  expect(saved.data).toMatchObject({ path: join(agent.workspace, 'photo.jpeg') })
  expect(saved.data).not.toHaveProperty('note')
})

/** Makes the next task complete with a MIDI file and two sound files. */
async function completeWithSeveralFiles({ service }: Agent): Promise<void> {
  const results = {
    '': await service.addFile('tune-piano.wav', Buffer.from('sound')),
    midi_: await service.addFile('tune.mid', Buffer.from('notes')),
    dry_: await service.addFile('tune-dry.wav', Buffer.from('dry sound')),
  }
  const output = Object.entries(results).flatMap(([role, { id }]) => [
    [`${role}file_id`, id],
    [`${role}download_url`, downloadUrl(id)],
  ])
  service.onCreate = (task) =>
    Object.assign(task, { status: 'completed', output: Object.fromEntries(output) })
}

test.each([
  ['enh.wav', undefined],
  ['enh.mid', undefined],
  ['enh.mp3', 'The file is .wav, so it is not named .mp3.'],
])('several results are named after %s, each with its own extension', async (save_to, note) => {
  await using agent = await startInProcessAgent('modern')
  await completeWithSeveralFiles(agent)
  const { data } = await agent.call('video_split_screen', { ...(await createClips(agent)), save_to })
  const files = data['files'] as Saved[]
  expect(files.map(({ path }) => path)).toEqual(
    ['enh.wav', 'enh.mid', 'enh-dry.wav'].map((name) => join(agent.workspace, name)),
  )
  expect(files.map((file) => file.note)).toEqual([note, undefined, undefined])
  expect(await readFile(files[1]?.path ?? '', 'utf8')).toBe('notes')
})

test('several results are saved in a folder under their own names', async () => {
  await using agent = await startInProcessAgent('modern')
  await completeWithSeveralFiles(agent)
  const { data } = await agent.call('video_split_screen', { ...(await createClips(agent)), save_to: 'tune' })
  expect((data['files'] as Saved[]).map(({ path }) => path)).toEqual(
    ['tune-piano.wav', 'tune.mid', 'tune-dry.wav'].map((name) => join(agent.workspace, 'tune', name)),
  )
})

test.skipIf(process.platform === 'win32')(
  'a folder that is removed during a download is an error that the next call resolves',
  async () => {
    await using agent = await startInProcessAgent('modern')
    const { id } = await agent.service.addFile('clip.mp4', Buffer.from('a clip'))
    let removals = 0
    agent.service.beforeResponse = ({ url = '' }) => {
      if (removals > 0 || !url.includes('download')) return
      removals += 1
      rmSync(join(agent.workspace, 'out'), { recursive: true })
    }
    const { isError, text } = await agent.call('download_file', { file_id: id, save_to: 'out' })
    expect([removals, isError]).toEqual([1, true])
    expect(text).toMatch(/^6016: Files cannot be saved to out: the folder was removed.* Fix: Call again/)
    const { data } = await agent.call('download_file', { file_id: id, save_to: 'out' })
    expect(data).toMatchObject({ path: join(agent.workspace, 'out', 'clip.mp4') })
  },
)

test('a result without files is saved as JSON, if save_to is given', async () => {
  await using agent = await startInProcessAgent('modern')
  agent.service.onCreate = (task) =>
    Object.assign(task, {
      status: 'completed',
      output: { results: [{ id: 3, note: 'Waves', thumb_url: '/library/3/thumb?sign=x' }] },
    })
  const clips = await createClips(agent)
  const { data, text } = await agent.call('video_split_screen', { ...clips, save_to: 'found/' })
  const path = join(agent.workspace, 'found', 'video_split_screen.json')
  expect(data['next_step']).toContain(`Saved to ${path}.`)
  expect(text).toContain(path)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ results: [{ id: 3, note: 'Waves' }] })
  const named = await agent.call('get_task', { task_id: data['task_id'], save_to: 'sea.json' })
  expect(named.data['next_step']).toContain(join(agent.workspace, 'sea.json'))
  const { data: other } = await agent.call('video_split_screen', { ...clips, force_new: true })
  expect(other['next_step']).not.toContain('Saved')
})

test('a failed task and a failed download create no folder', async () => {
  await using agent = await startInProcessAgent('modern')
  await mkdir(join(agent.workspace, 'mine'), { recursive: true })
  agent.service.onCreate = (task) => Object.assign(task, { status: 'failed', output: { error: 'no' } })
  const clips = await createClips(agent)
  await agent.call('video_split_screen', { ...clips, save_to: 'failed/task' })
  const { id } = await agent.service.addFile('clip.mp4', Buffer.from('a clip'))
  agent.service.beforeResponse = ({ url = '' }) => {
    if (url.includes('download')) agent.service.files.delete(id)
  }
  for (const save_to of ['failed/download', 'mine']) {
    const { isError } = await agent.call('download_file', { file_id: id, save_to })
    expect(isError).toBe(true)
    await agent.service.addFile('clip.mp4', Buffer.from('a clip'))
  }
  expect((await readdir(agent.workspace)).toSorted()).toEqual(['left.mp4', 'mine', 'right.mp4'])
})

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { newId } from '../../src/contract/fields.ts'
import { createClips, startInProcessAgent } from './stdio-client.ts'

test('list_tasks says how to read further pages, and names inputs and saved files', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = await createClips(agent)
  const { data } = await agent.call('video_split_screen', input)
  const [file] = data['files'] as { path: string }[]
  for (const audio_mode of ['mix', 'mute']) await agent.call('video_split_screen', { ...input, audio_mode })
  const first = await agent.call('list_tasks', { page_size: 2 })
  expect(first.data).toMatchObject({
    ...{ total: 3, page: 1, pages: 2 },
    next_step: expect.stringContaining('Page 1 of 2: call list_tasks with page 2'),
  })
  const last = await agent.call('list_tasks', { page_size: 2, page: 2 })
  expect(last.data['tasks']).toMatchObject([
    { task_id: data['task_id'], inputs: ['left.mp4', 'right.mp4'], paths: [file?.path] },
  ])
  expect(last.data['next_step']).not.toMatch(/Page/)
  expect(last.text).toContain(String(file?.path))
})

test('list_tasks and get_task of a later session find what save_to saved', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = { ...(await createClips(agent)), save_to: 'films/mine.mp4' }
  const { data } = await agent.call('video_split_screen', input)
  const path = join(agent.workspace, 'films', 'mine.mp4')
  const { service, workspace: defaultFolder } = agent
  await using later = await startInProcessAgent('modern', undefined, { service, defaultFolder })
  const paths = async () => (await later.call('list_tasks')).data['tasks']
  expect(await paths()).toMatchObject([{ paths: [path] }])
  const { task_id } = data
  expect((await later.call('get_task', { task_id })).data).toMatchObject({ files: [{ path }] })
  expect(await paths()).toMatchObject([{ paths: [path] }])
  const results = join(agent.workspace, 'reelwright-output')
  expect((await readdir(results)).filter((name) => !name.startsWith('.'))).toEqual([])
})

test('a record of saved files in the workspace cannot lead outside it', async () => {
  await using agent = await startInProcessAgent('modern')
  const { data } = await agent.call('video_split_screen', { ...(await createClips(agent)), save_to: 'films' })
  const { service, workspace: defaultFolder } = agent
  const record = join(defaultFolder, 'reelwright-output', `.saved-${String(data['task_id'])}.json`)
  await writeFile(record, JSON.stringify({ save_to: '/etc', paths: ['/etc/passwd'] }))
  await using later = await startInProcessAgent('modern', undefined, { service, defaultFolder })
  expect((await later.call('list_tasks')).text).not.toContain('/etc')
  const { task_id } = data
  const { text } = await later.call('get_task', { task_id })
  expect(text).toContain(join('reelwright-output', 'video_split_screen-'))
})

test.each([
  [{}, 10],
  [{ page_size: 100 }, 100],
])('with %j, the text of list_tasks has one line for each task of the page', async (args, count) => {
  await using agent = await startInProcessAgent('modern')
  for (let index = 0; index < 120; index += 1) {
    const id = newId()
    const task = { id, type: 'video_split_screen', body: {}, progress: 100, output: {} }
    agent.service.tasks.set(id, { ...task, status: 'completed' })
  }
  const { text, data } = await agent.call('list_tasks', args)
  const listed = data['tasks'] as { task_id: string }[]
  const rows = text.split('\n').filter((line) => line.startsWith('- task_id '))
  expect(rows.map((row) => /\d+/.exec(row)?.[0])).toEqual(listed.map(({ task_id }) => task_id))
  expect(rows).toHaveLength(count)
  expect(text).toContain('Next: Page 1 of ')
  expect(text).not.toMatch(/more lines|and \d+ more/)
})

test('list_tasks names saved files even if the inputs are many', async () => {
  await using agent = await startInProcessAgent('modern')
  await mkdir(agent.workspace, { recursive: true })
  const names = Array.from(
    { length: 12 },
    (_, index) => `${'holiday-in-the-mountains-'.repeat(2)}${index}.mp4`,
  )
  for (const name of names) await writeFile(join(agent.workspace, name), name)
  const clips = names.map((file_id) => ({ file_id }))
  const { data } = await agent.call('video_split_screen', { clips })
  const [file] = data['files'] as { path: string }[]
  const listed = await agent.call('list_tasks')
  expect(listed.data['tasks']).toMatchObject([{ inputs: names }])
  expect(listed.text).toContain(String(file?.path))
  expect(listed.text).toContain(names[0])
})

test.each([
  ['visualizer', 'Use music_visualizer.'],
  ['video_splitscreen', 'Use video_split_screen.'],
  ['screen', 'Use video_split_screen.'],
  ['poem', 'Use one of video_split_screen, music_visualizer.'],
])('list_tasks reports the unknown task type %s with the nearest one', async (task_type, hint) => {
  const operations = [videoSplitScreen, musicVisualizer]
  await using agent = await startInProcessAgent('modern', {}, { operations })
  const { isError, text } = await agent.call('list_tasks', { task_type })
  expect(isError).toBe(true)
  expect(text).toContain(`6016: task_type: no tool creates tasks of type ${JSON.stringify(task_type)}.`)
  expect(text).toContain(hint)
})

test('list_tasks finds saved files after a restart of the server, and shows why a task failed', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = await createClips(agent)
  const { data } = await agent.call('video_split_screen', input)
  const [file] = data['files'] as { path: string }[]
  agent.service.onCreate = (task) => {
    task.status = 'failed'
    task.output = { error: { code: 6021, message: 'no frame', retryable: false } }
  }
  await agent.call('video_split_screen', { ...input, audio_mode: 'mute' })
  const settings = { service: agent.service, allowedFolders: [agent.workspace] }
  await using restarted = await startInProcessAgent('modern', {}, settings)
  expect((await restarted.call('list_tasks')).data['tasks']).toMatchObject([
    { status: 'failed', error: '6021: no frame' },
    { status: 'completed', paths: [file?.path] },
  ])
})

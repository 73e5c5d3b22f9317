import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { createClips, eras, startInProcessAgent, type ToolResponse } from './stdio-client.ts'

const linksOf = ({ result }: ToolResponse): string[] =>
  result.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []))

const creations = (requests: readonly string[]): number =>
  requests.filter((request) => /^POST \/task\/\w+$/.test(request)).length

describe.each(eras)('results for a %s client', (era) => {
  test('link to the resource of the task, and then of its files', async () => {
    await using agent = await startInProcessAgent(era)
    const input = await createClips(agent)
    agent.service.onCreate = () => undefined
    const started = await agent.call('video_split_screen', { ...input, wait_seconds: 0 })
    expect(linksOf(started)).toEqual([`media://tasks/${String(started.data['task_id'])}`])
    const [file] = agent.service.files.values()
    agent.service.updateTask(String(started.data['task_id']), {
      status: 'completed',
      output: { file_id: file?.id },
    })
    const done = await agent.call('get_task', { task_id: started.data['task_id'] })
    expect(linksOf(done)).toEqual([`media://files/${file?.id}`])
    const inspected = await agent.call('inspect_file', { file: 'left.mp4' })
    expect(linksOf(inspected)).toEqual([`media://files/${String(inspected.data['file_id'])}`])
    for (const uri of linksOf(done))
      expect((await agent.client.readResource({ uri })).contents).toHaveLength(1)
  })

  test('an equal call after completion is offered the result; force_new runs it again', async () => {
    await using agent = await startInProcessAgent(era)
    const input = await createClips(agent)
    const first = await agent.call('video_split_screen', input)
    const again = await agent.call('video_split_screen', { ...input, audio_mode: 'first', save_to: 'again' })
    expect(again.data).toMatchObject({
      ...{ task_id: first.data['task_id'], status: 'completed' },
      files: [{ path: join(agent.workspace, 'again', 'left.mp4') }],
      next_step: expect.stringMatching(/^This is the result of an earlier equal call\. .*charged.*force_new/),
    })
    expect(creations(agent.service.requests)).toBe(1)
    const byId = { clips: [...agent.service.files.keys()].map((file_id) => ({ file_id })) }
    expect((await agent.call('video_split_screen', byId)).data['task_id']).toBe(first.data['task_id'])
    const fresh = await agent.call('video_split_screen', { ...input, force_new: true })
    expect(fresh.data['task_id']).not.toBe(first.data['task_id'])
    expect(fresh.data['next_step']).not.toMatch(/earlier/)
    expect(creations(agent.service.requests)).toBe(2)
    const other = await agent.call('video_split_screen', { ...input, audio_mode: 'mute' })
    expect(other.data['next_step'], 'another request').not.toMatch(/earlier/)
  })
})

test('a result whose file was removed, or of a failed task, is not offered', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = await createClips(agent)
  const result = await agent.service.addFile('result.mp4', Buffer.from('a result'))
  agent.service.onCreate = (task) =>
    Object.assign(task, { status: 'completed', output: { file_id: result.id, download_url: 'x' } })
  const first = await agent.call('video_split_screen', input)
  agent.service.files.delete(result.id)
  agent.service.onCreate = (task) =>
    Object.assign(task, { status: 'failed', output: { error: { code: 6500 } } })
  const second = await agent.call('video_split_screen', input)
  const third = await agent.call('video_split_screen', input)
  expect(new Set([first, second, third].map(({ data }) => data['task_id'])).size).toBe(3)
})

test('each synthesis of speech is a new task', async () => {
  await using agent = await startInProcessAgent('modern', {}, { operations: [audioTtsZeroShot] })
  const voice = await agent.service.addFile('voice.wav', Buffer.from('a voice'))
  const input = { text: 'Hello.', text_lang: 'en-US', ref_file_id: voice.id }
  const [first, second] = [
    await agent.call('audio_tts_zero_shot', input),
    await agent.call('audio_tts_zero_shot', input),
  ]
  expect([first.text, first.data['status']]).toEqual([expect.any(String), 'completed'])
  expect(second.data['task_id']).not.toBe(first.data['task_id'])
})

test('a copy of an uploaded file keeps its own name, and so do its results', async () => {
  await using agent = await startInProcessAgent('modern')
  await createClips(agent)
  await agent.call('upload_file', { path: 'left.mp4' })
  await copyFile(join(agent.workspace, 'left.mp4'), join(agent.workspace, 'holiday.v2.mp4'))
  expect((await agent.call('upload_file', { path: 'holiday.v2.mp4' })).data['name']).toBe('holiday.v2.mp4')
  expect((await agent.call('inspect_file', { file: 'holiday.v2.mp4' })).data['name']).toBe('holiday.v2.mp4')
  const clips = [{ file_id: 'holiday.v2.mp4' }, { file_id: 'right.mp4' }]
  const clean = await agent.service.addFile('left-clean.mp4', Buffer.from('clean'))
  const outputs: unknown[] = [undefined, { file_id: clean.id, download_url: 'x' }]
  const names: string[] = []
  for (const output of outputs) {
    const [file] = agent.service.files.values()
    agent.service.onCreate = (task) =>
      Object.assign(task, { status: 'completed', output: output ?? { file_id: file?.id, download_url: 'x' } })
    const { data } = await agent.call('video_split_screen', { clips, force_new: true, save_to: 'named' })
    const [saved] = data['files'] as { path: string }[]
    names.push(saved?.path ?? '')
    expect((await readFile(saved?.path ?? '')).length).toBeGreaterThan(0)
  }
  expect(names).toEqual(
    ['holiday.v2.mp4', 'holiday.v2-clean.mp4'].map((name) => join(agent.workspace, 'named', name)),
  )
})

test('progress names what a task waits for, and its values increase', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = await createClips(agent)
  const note = (attempt: number) =>
    `downloading text-detection (2.3 MiB, needed once), attempt ${attempt}: 0 %`
  agent.service.onCreate = (task) => Object.assign(task, { status: 'processing', note: note(1) })
  const reports: { progress: number; message?: string | undefined }[] = []
  const { promise: isDownloading, resolve: downloading } = Promise.withResolvers<void>()
  const call = agent.client.callTool(
    { name: 'video_split_screen', arguments: input },
    {
      onprogress(report) {
        reports.push(report)
        if (report.message === note(1)) downloading()
      },
    },
  )
  await isDownloading
  const [task] = agent.service.tasks.values()
  const id = task?.id ?? ''
  expect((await agent.call('get_task', { task_id: id, wait_seconds: 0 })).data).toMatchObject({
    note: note(1),
    next_step: expect.stringContaining(`it is ${note(1)}`),
  })
  agent.service.updateTask(id, { note: note(2) })
  await expect.poll(() => reports.at(-1)?.message).toBe(note(2))
  agent.service.updateTask(id, { status: 'completed', output: {} })
  await call
  const values = reports.map(({ progress }) => progress)
  expect(values).toEqual(values.toSorted((one, other) => one - other))
  expect(new Set(values).size).toBe(values.length)
})

test('service_status is short unless details are requested', async () => {
  await using agent = await startInProcessAgent('modern')
  const short = await agent.call('service_status')
  expect(JSON.stringify(short.data).length).toBeLessThan(1500)
  expect(short.text.length).toBeLessThan(1500)
  expect(short.data).toMatchObject({
    workspace: agent.workspace,
    service: { ready: ['video_split_screen'], credits: { balance: 100 } },
    next_step: expect.stringContaining('details true'),
  })
  const full = await agent.call('service_status', { details: true })
  expect(full.data).toMatchObject({ service: { operations: [{ price: '1 credit' }], limits: {} } })
})

const missingPack =
  'ZipVoice, distilled is not installed (155.8 MiB); it is required for speaking Chinese and English in a voice ' +
  'cloned from one recording; SenseVoice small is not installed (228.5 MiB); it is required for recognising ' +
  'Chinese, Cantonese, English, Japanese and Korean'
const packFix = 'Fix: reelwright models pull zipvoice sense-voice'
const settingFix =
  'Fix: Set "language_model" in reelwright.config.json, such as { "language_model": "http://x/v1#m" }.'
const blocked = [
  `${missingPack}. ${packFix}`,
  `no language model is set. ${settingFix} Any OpenAI-compatible server: ${'its address; '.repeat(20)}`,
  'Whisper tiny is not installed; it is required for identifying languages. Fix: reelwright models pull whisper-tiny',
]

test('service_status contains every fix whole, also the short one', async () => {
  await using agent = await startInProcessAgent('modern')
  agent.service.operations = Array.from({ length: 18 }, (_, index) => {
    const missing = blocked[index] ?? null
    return {
      ...{ name: `video_operation_${index}`, title: 'x', price: '1 credit' },
      missing,
      ready: !missing,
    }
  })
  const short = await agent.call('service_status')
  const fixes = [packFix, settingFix, 'Fix: reelwright models pull whisper-tiny']
  for (const fix of fixes) {
    expect(short.text).toContain(fix)
    expect(JSON.stringify(short.data)).toContain(JSON.stringify(fix).slice(1, -1))
  }
  expect(JSON.stringify(short.data).length).toBeLessThan(1500)
  expect(short.text.length).toBeLessThan(1500)
})

test('the text of service_status with details contains every operation and reason whole', async () => {
  await using agent = await startInProcessAgent('modern')
  agent.service.operations = Array.from({ length: 40 }, (_, index) => ({
    ...{ name: `operation_${index}`, title: 'x', ready: false, price: '1 credit' },
    missing: `pack ${index}: ${missingPack}; ${missingPack}. Fix: reelwright models pull pack-${index}`,
  }))
  const { text } = await agent.call('service_status', { details: true })
  for (const { missing } of agent.service.operations) expect(text).toContain(missing)
  expect(text).not.toMatch(/more lines|…|and \d+ more/)
})

test('service_status stays short with many allowed folders', async () => {
  await using folder = await temporaryFolder()
  const allowedFolders = Array.from({ length: 40 }, (_, index) =>
    join(folder.path, `folder-${index}`.repeat(4)),
  )
  for (const path of allowedFolders) await mkdir(path)
  await using agent = await startInProcessAgent('modern', {}, { allowedFolders })
  const { data, text } = await agent.call('service_status')
  expect(JSON.stringify(data).length).toBeLessThan(1500)
  expect(text.length).toBeLessThan(1500)
  const [first] = data['allowed_folders'] as string[]
  expect([first, Number(data['allowed_folders_left_out'])]).toEqual([allowedFolders[0], expect.any(Number)])
  expect((await agent.call('service_status', { details: true })).data['allowed_folders']).toHaveLength(40)
})

test('a client of a protocol without links receives none', async () => {
  const options = { supportedProtocolVersions: ['2025-03-26'] }
  await using agent = await startInProcessAgent('legacy', options)
  const done = await agent.call('video_split_screen', await createClips(agent))
  expect(done.data['status']).toBe('completed')
  expect(done.result.content.map(({ type }) => type)).toEqual(['text'])
})

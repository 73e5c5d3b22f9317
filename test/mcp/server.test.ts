import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, waitUntil } from './temporary-folder.ts'
import { createClips, eras, startAgent, startInProcessAgent } from './stdio-client.ts'

describe.each(eras)('%s client', (era) => {
  test('lists tools, prompts and templates over stdio, where two local paths produce a result file in the workspace; stdout contains only protocol messages', async () => {
    await using agent = await startAgent(era)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'video_split_screen',
      ...['upload_file', 'inspect_file', 'download_file'],
      ...['get_task', 'answer_questions', 'list_tasks', 'cancel_task'],
      'service_status',
    ])
    const { prompts } = await agent.client.listPrompts()
    const folder = join(import.meta.dirname, '..', '..', 'prompts')
    const promptFiles = (await readdir(folder)).map((file) => file.replace(/\.md$/, '')).toSorted()
    expect(promptFiles).toContain('make-split-screen')
    expect(prompts.map(({ name }) => name)).toEqual(promptFiles)
    const prompt = await agent.client.getPrompt({
      name: 'make-split-screen',
      arguments: { clips: 'a.mp4, b.mp4' },
    })
    expect(JSON.stringify(prompt.messages)).toContain('a.mp4, b.mp4')
    await expect(agent.client.getPrompt({ name: 'make-split-screen' })).rejects.toThrow('clips')
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'media://tasks/{task_id}',
      'media://files/{file_id}',
      'media://operations/{name}',
      'media://layouts{?slot_count,ratio,page,page_size}',
    ])

    const { isError, data, text } = await agent.call('video_split_screen', await createClips(agent))
    expect(isError).toBe(false)
    expect(text).toMatch(
      /^video_split_screen, completed, task_id \d+\nFile: .*left\.mp4 \(result, 9 bytes, 1\.5 s\)\n/,
    )
    expect(text).toContain(`Next: ${String(data['next_step'])}`)
    expect(data).toMatchObject({ status: 'completed', progress: 100, task_type: 'video_split_screen' })
    const [file] = data['files'] as { path: string; bytes: number; role: string; duration: number }[]
    expect(file).toMatchObject({ role: 'result', bytes: 9, duration: 1.5 })
    expect(data['next_step']).toContain(file?.path)
    const short = String(data['task_id']).slice(-8)
    expect(file?.path).toBe(
      join(await realpath(agent.workspace), `reelwright-output/video_split_screen-${short}/left.mp4`),
    )
    expect(await readFile(file?.path ?? '', 'utf8')).toBe('left clip')
    const [task] = agent.service.tasks.values()
    expect(task?.body).toEqual({ clips: [...agent.service.files.keys()].map((file_id) => ({ file_id })) })
    expect(await agent.call('get_task', { task_id: data['task_id'] })).toMatchObject({
      data: { files: [file] },
    })
  })

  test('a task that takes longer is polled with get_task, and progress is reported', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const progress: number[] = []
    const result = await agent.client.callTool(
      {
        name: 'video_split_screen',
        arguments: { ...(await createClips(agent)), wait_seconds: 0, save_to: 'out/final.mp4' },
      },
      { onprogress: ({ progress: percent }) => void progress.push(percent) },
    )
    expect(result.structuredContent).toMatchObject({
      status: 'queued',
      next_step: expect.stringMatching(
        /starts in about 40 s, and then takes about 12 s\. .*get_task with task_id "\d+" and save_to "out\/final\.mp4" /,
      ),
    })
    expect(progress.length).toBeGreaterThan(0)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    const { task_id } = result.structuredContent as { task_id: string }
    const waiting = agent.call('get_task', { task_id, wait_seconds: 45 })
    const [file] = agent.service.files.values()
    agent.service.updateTask(task_id, {
      status: 'completed',
      progress: 100,
      output: { file_id: file?.id, download_url: `/base/file/${file?.id}/download` },
    })
    const { data } = await waiting
    expect(data).toMatchObject({
      status: 'completed',
      files: [{ path: expect.stringMatching(/out\/final\.mp4$/) }],
    })
  })

  test('subscribers receive every change of their task, and of no other', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const { data } = await agent.call('video_split_screen', {
      ...(await createClips(agent)),
      wait_seconds: 0,
    })
    const other = await agent.call('video_split_screen', { ...(await createClips(agent)), wait_seconds: 0 })
    const uri = `media://tasks/${String(data['task_id'])}`
    const updated: string[] = []
    agent.client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    )
    if (era === 'legacy') await agent.client.subscribeResource({ uri })
    else await agent.client.listen({ resourceSubscriptions: [uri] })
    await waitUntil(() => agent.service.eventSockets.size === 1, 'the server subscribes to events')
    agent.service.updateTask(String(other.data['task_id']), { progress: 5 })
    agent.service.updateTask(String(data['task_id']), { status: 'processing', progress: 30 })
    await waitUntil(() => updated.length > 0, 'an update')
    expect(new Set(updated)).toEqual(new Set([uri]))
    const { contents } = await agent.client.readResource({ uri })
    expect(contents).toHaveLength(1)
    const [content] = contents
    expect(JSON.parse(content && 'text' in content ? content.text : '')).toMatchObject({
      status: 'processing',
      progress: 30,
    })
    const { resources } = await agent.client.listResources()
    expect(resources.map((resource) => resource.uri)).toContain(uri)
  })

  test('file resources contain facts, and the content of short texts', async () => {
    await using agent = await startInProcessAgent(era)
    const { id } = await agent.service.addFile(
      'words.srt',
      Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nhello\n'),
    )
    const { contents } = await agent.client.readResource({ uri: `media://files/${id}` })
    expect(contents).toMatchObject([
      { mimeType: 'application/json', text: expect.stringContaining('words.srt') },
      { mimeType: 'text/plain', text: expect.stringContaining('hello') },
    ])
    const dot = await agent.service.addFile('dot.png', Buffer.from([137, 80, 78, 71]))
    expect((await agent.client.readResource({ uri: `media://files/${dot.id}` })).contents).toMatchObject([
      { mimeType: 'application/json' },
      { mimeType: 'image/png', blob: Buffer.from([137, 80, 78, 71]).toString('base64') },
    ])
    const long = await agent.service.addFile('long.txt', Buffer.alloc(256 * 1024 + 1, 'x'))
    expect((await agent.client.readResource({ uri: `media://files/${long.id}` })).contents).toHaveLength(1)
    await expect(agent.client.readResource({ uri: 'media://files/404' })).rejects.toThrow(/not found/i)
    await expect(agent.client.readResource({ uri: 'media://other/1' })).rejects.toThrow(/not found/i)
  })

  test('all other tools work', async () => {
    await using agent = await startInProcessAgent(era)
    await createClips(agent)
    const uploaded = await agent.call('upload_file', { path: 'left.mp4' })
    expect(uploaded.data).toMatchObject({ name: 'left.mp4', bytes: 9 })
    const { file_id } = uploaded.data
    const inspected = await agent.call('inspect_file', { file: file_id, preview: 'contact_sheet' })
    expect(inspected.data).toMatchObject({ file_id, name: 'left.mp4', bytes: 9, media: null })
    expect(inspected.result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    const saved = await agent.call('download_file', { file_id, save_to: 'copies' })
    expect(await readFile(String(saved.data['path']), 'utf8')).toBe('left clip')

    agent.service.onCreate = () => undefined
    const { data } = await agent.call('video_split_screen', {
      ...(await createClips(agent)),
      wait_seconds: 0,
    })
    const listed = await agent.call('list_tasks')
    expect(listed.data).toMatchObject({
      total: 1,
      tasks: [
        {
          task_id: data['task_id'],
          status: 'queued',
          estimated_wait_seconds: 40,
          estimated_work_seconds: 12,
        },
      ],
    })
    const uri = `media://tasks/${String(data['task_id'])}`
    const { contents } = await agent.client.readResource({ uri })
    expect(JSON.stringify(contents)).toContain('in about 40 s')
    expect(await agent.call('cancel_task', { task_id: data['task_id'] })).toMatchObject({
      data: { status: 'cancelled' },
    })
    const second = await agent.call('cancel_task', { task_id: data['task_id'] })
    expect([second.isError, second.data['status']], 'a repeated call changes nothing').toEqual([
      false,
      'cancelled',
    ])
    const done = [...agent.service.tasks.values()][0]
    if (done) done.status = 'completed'
    expect((await agent.call('cancel_task', { task_id: data['task_id'] })).text).toMatch(/^6007: /)
    const status = await agent.call('service_status')
    expect(status.data).toMatchObject({
      reachable: true,
      workspace: agent.workspace,
      service: { credits: {} },
    })
  })

  test('a running task is stopped only with force', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = (task) => void (task.status = 'processing')
    const { data } = await agent.call('video_split_screen', {
      ...(await createClips(agent)),
      wait_seconds: 0,
    })
    const { task_id } = data
    expect((await agent.call('cancel_task', { task_id })).text).toMatch(/^6007: /)
    expect(await agent.call('cancel_task', { task_id, force: true })).toMatchObject({
      data: { task_id, status: 'cancelled', next_step: expect.stringContaining('credits') },
    })
    const { data: ended } = await agent.call('get_task', { task_id })
    expect(ended).toMatchObject({ status: 'cancelled' })
    expect(ended).not.toHaveProperty('error')
    expect((await agent.call('list_tasks')).data['tasks']).toMatchObject([{ task_id, status: 'cancelled' }])
    expect(ended['next_step'], 'no correction is suggested').toMatch(
      /^The task was stopped on request and its/,
    )
    const second = await agent.call('cancel_task', { task_id, force: true })
    expect(second, 'a repeated call changes nothing').toMatchObject({
      isError: false,
      data: { status: 'cancelled' },
    })
    agent.service.updateTask(String(task_id), {
      output: { error: { code: 6500, message: 'x', retryable: true } },
    })
    const failed = await agent.call('cancel_task', { task_id, force: true })
    expect(failed.text, 'it failed without a stop request').toMatch(/^6007: /)
  })

  test('a client that aborts its call cancels no task', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const gate = Promise.withResolvers<void>()
    agent.service.uploadGate = gate.promise
    const stop = new AbortController()
    const call = agent.client.callTool(
      { name: 'video_split_screen', arguments: { ...(await createClips(agent)), wait_seconds: 45 } },
      { signal: stop.signal },
    )
    await waitUntil(() => agent.service.requests.includes('POST /base/file/upload'), 'the upload began')
    stop.abort()
    await expect(call).rejects.toThrow(/abort/i)
    gate.resolve()
    await waitUntil(() => agent.service.tasks.size === 1, 'the task is created anyway')
    expect([...agent.service.tasks.values()][0]?.status).toBe('queued')
    expect(agent.service.requests.some((request) => request.endsWith('/cancel'))).toBe(false)
  })

  test('a failed task contains its error', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = (task) => {
      task.status = 'failed'
      task.output = { error: { code: 6021, message: 'no frame', retryable: false } }
    }
    const { isError, data } = await agent.call('video_split_screen', await createClips(agent))
    expect(isError).toBe(false)
    expect(data).toMatchObject({ status: 'failed', error: { code: 6021, message: 'no frame' } })
  })

  test('a result that cannot be saved is reported with the completed task', async () => {
    await using agent = await startInProcessAgent(era)
    const input = await createClips(agent)
    await writeFile(join(agent.workspace, 'occupied'), 'a file in place of a folder')
    const rejection = await agent.call('video_split_screen', { ...input, save_to: 'occupied/out' })
    expect(rejection.text).toMatch(/^6016: /)
    await writeFile(join(agent.workspace, 'reelwright-output'), 'in the way')
    const { isError, data } = await agent.call('video_split_screen', input)
    expect(isError).toBe(false)
    expect(data).toMatchObject({ status: 'completed', next_step: expect.stringContaining('not saved') })
  })
})

test('the default workspace is created on first use', async () => {
  await using agent = await startInProcessAgent('modern')
  await expect(stat(agent.workspace)).rejects.toMatchObject({ code: 'ENOENT' })
  const { data } = await agent.call('service_status')
  expect(data['allowed_folders']).toEqual([agent.workspace])
  expect(data).not.toHaveProperty('refused_folders')
  expect((await stat(agent.workspace)).isDirectory()).toBe(true)
})

test('the roots of an older client are its allowed folders if none are configured', async () => {
  await using project = await temporaryFolder()
  await writeFile(join(project.path, 'clip.mp4'), 'clip')
  await using agent = await startInProcessAgent('legacy', { capabilities: { roots: { listChanged: true } } })
  agent.client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: `file://${project.path}` }, { uri: 'file:///' }, { uri: `file://${tmpdir()}/not-there` }],
  }))
  // The handler was registered after the connection. The notification makes the server ask again.
  await agent.client.notification({ method: 'notifications/roots/list_changed' })
  await expect.poll(async () => (await agent.call('service_status')).data['workspace']).toBe(project.path)
  const { data } = await agent.call('service_status')
  expect(data).toMatchObject({ allowed_folders: [project.path], refused_folders: [{ folder: '/' }, {}] })
  expect((await agent.call('upload_file', { path: 'clip.mp4' })).isError).toBe(false)
})

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFileRefs } from '../../src/contract/file.ts'
import { downloadUrl } from '../../src/contract/routes.ts'
import { operations as modules } from '../../tools/index.ts'
import { createClips, startInProcessAgent, type Agent, type ToolResponse } from './stdio-client.ts'

// The text part of every tool's result, which is all that some clients show the model.

const operations = modules.map(({ operation }) => operation)

/** Asserts that the text is a short summary of the data that ends with the next step. */
function expectSummary({ text, data, isError }: ToolResponse): void {
  expect([isError, text]).toEqual([false, expect.not.stringMatching(/^\{|\}$/)])
  expect(text.length).toBeLessThan(2000)
  expect(text).not.toMatch(/undefined|null|\[object/)
  expect(text.endsWith(`Next: ${data['next_step'] as string}`)).toBe(true)
}

describe('the result', () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await startInProcessAgent('modern', {}, { operations })
  })
  afterAll(() => agent[Symbol.asyncDispose]())

  test.each(operations)(
    'of $name contains state, path, notes and next step as text, and no relative URL',
    async (operation) => {
      const { input } = operation.examples[0]
      for (const { value } of findFileRefs(operation.input, input)) {
        const path = join(agent.workspace, String(value))
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, `content of ${String(value)}`)
      }
      const result = await agent.service.addFile('outcome.mp4', Buffer.from('outcome'))
      const output = {
        file_id: result.id,
        download_url: downloadUrl(result.id),
        notes: ['The cover is ignored'],
      }
      agent.service.onCreate = (task) => Object.assign(task, { status: 'completed', progress: 100, output })
      const response = await agent.call(operation.name, { ...input })
      expectSummary(response)
      const { text, data } = response
      const [file] = data['files'] as { path: string }[]
      expect(text).toContain(`${operation.name}, completed, task_id ${String(data['task_id'])}`)
      expect(text).toContain(`File: ${file?.path} (result, 7 bytes)`)
      expect(data['next_step']).toContain(file?.path)
      expect(data['next_step']).toContain('Notes: The cover is ignored.')
      expect(JSON.stringify(response.result)).not.toMatch(/download_url|"\/base\//)
    },
  )
})

test('the results of all other tools are summaries', async () => {
  await using agent = await startInProcessAgent('modern')
  const input = await createClips(agent)
  const uploaded = await agent.call('upload_file', { path: 'left.mp4' })
  expectSummary(uploaded)
  const { file_id } = uploaded.data
  expect(uploaded.text).toMatch(/^left\.mp4, 9 bytes\nfile_id: \d+\n/)
  const inspected = await agent.call('inspect_file', { file: 'left.mp4' })
  expectSummary(inspected)
  expect(inspected.text).toMatch(/^left\.mp4, 9 bytes\nfile_id: \d+\nkind: video\n/)
  const saved = await agent.call('download_file', { file_id })
  expectSummary(saved)
  expect(saved.text).toContain(String(saved.data['path']))
  agent.service.onCreate = () => undefined
  const started = await agent.call('video_split_screen', { ...input, wait_seconds: 0 })
  expectSummary(started)
  const { task_id } = started.data
  expectSummary(await agent.call('get_task', { task_id, wait_seconds: 0 }))
  const listed = await agent.call('list_tasks')
  expectSummary(listed)
  expect(listed.text).toContain(`- task_id ${String(task_id)}, task_type video_split_screen, status queued`)
  const cancelled = await agent.call('cancel_task', { task_id })
  expectSummary(cancelled)
  expect(cancelled.text).toMatch(/^cancelled, task_id \d+\nNext: The credits were returned/)
  const status = await agent.call('service_status')
  expectSummary(status)
  expect(status.text).toContain(agent.workspace)
})

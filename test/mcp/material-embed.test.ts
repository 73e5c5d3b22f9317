import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { materialEmbed } from '../../tools/material-embed/contract.ts'
import { installFakeSiglip } from '../engines/embedding/fake-siglip.ts'
import { generateMedia } from '../engines/ffmpeg/generate-media.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone } from './call-until-done.ts'

let agentSession: AgentSession
let agent: ConnectedAgent

beforeAll(async () => {
  agentSession = await startAgentSession()
  await mkdir(agentSession.dataDir, { recursive: true })
  await installFakeSiglip(join(agentSession.dataDir, dataFiles.packs), 'siglip2-base')
  for (const [name, source] of [
    ['beach.jpg', 'testsrc=s=64x48'],
    ['harbour.png', 'testsrc=s=60x40'],
  ] as const)
    await generateMedia(join(agentSession.workspace, name), ['-f', 'lavfi', '-i', source, '-frames:v', '1'])
  agent = await agentSession.connect('modern')
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await agentSession[Symbol.asyncDispose]()
})

test('the tool lists paths and texts, not base64', async () => {
  const { tools } = await agent.client.listTools()
  const { inputSchema } = tools.find(({ name }) => name === materialEmbed.name) ?? expect.fail('no such tool')
  const { input } = inputSchema.properties as unknown as {
    input: { items: { properties: Record<string, { description?: string }> } }
  }
  expect(Object.keys(input.items.properties)).toEqual(['text', 'file_id'])
  expect(input.items.properties['file_id']?.description).toContain('path or id')
})

test.each(materialEmbed.examples)('example: $title', async ({ input }) => {
  const { data, isError } = await callUntilDone(agent, materialEmbed.name, input)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const items = (input['input'] as readonly Record<string, unknown>[]).length
  // The vectors are in a file, as they would fill the context of a model.
  expect(data['output']).toEqual({
    usage: expect.objectContaining({ total: items }) as unknown,
    engine: 'siglip2-base',
    space: 'siglip2-base-patch16-224/ba1f3b0/1',
  })
  expect(JSON.stringify(data).length).toBeLessThan(1500)
  const path = savedPath(data)
  const saved = JSON.parse(await readFile(path, 'utf8')) as { data: { embedding: number[] }[] }
  expect(saved.data.map(({ embedding }) => embedding.length)).toEqual(Array(items).fill(1024))
  // The same call again and get_task find the same file.
  const again = await agent.call('get_task', { task_id: data['task_id'], wait_seconds: 1 })
  expect(savedPath(again.data)).toBe(path)
  expect(savedPath((await callUntilDone(agent, materialEmbed.name, input)).data)).toBe(path)
  expect(await readdir(dirname(path))).toEqual([basename(path)])
})

test('save_to names the file or its folder', async () => {
  const input = [{ text: 'cat' }]
  const named = await callUntilDone(agent, materialEmbed.name, { input, save_to: 'mine/cat.json' })
  expect(savedPath(named.data)).toBe(join(agentSession.workspace, 'mine', 'cat.json'))
  const other = await callUntilDone(agent, materialEmbed.name, { input, save_to: 'other' })
  expect(savedPath(other.data)).toBe(join(agentSession.workspace, 'other', 'material_embed.json'))
  const wrong = await callUntilDone(agent, materialEmbed.name, { input, save_to: 'mine/cat.png' })
  expect(savedPath(wrong.data)).toBe(join(agentSession.workspace, 'mine', 'cat.json'))
})

test('items beyond the limits and other files are rejected before anything is uploaded', async () => {
  const call = (input: readonly object[]) => agent.call(materialEmbed.name, { input })
  const many = Array.from({ length: 17 }, () => ({ file_id: 'beach.jpg' }))
  expect((await call(many)).text).toMatch(/6030: input: 17 images, and at most 16 are allowed/)
  expect((await call([{ text: 'a', file_id: 'beach.jpg' }])).text).toMatch(
    /exactly one of text, image and file_id/,
  )
  expect((await call([{ file_id: 'nowhere.png' }])).text).toMatch(/6004/)
})

function savedPath(data: Readonly<Record<string, unknown>>): string {
  const [, path] = /Saved to (\S+\.json)\./.exec(String(data['next_step'])) ?? []
  return path ?? expect.fail(`no path in ${String(data['next_step'])}`)
}

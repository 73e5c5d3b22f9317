import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'
import { eras } from './stdio-client.ts'

// Catalogue resources of the server, with a real service.

let agentSession: AgentSession

beforeAll(async () => {
  agentSession = await startAgentSession()
})
afterAll(() => agentSession[Symbol.asyncDispose]())

async function readJson(agent: ConnectedAgent, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await agent.client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }])
  const [content] = contents
  return JSON.parse(content && 'text' in content ? content.text : '') as Record<string, unknown>
}

describe.each(eras)('%s client', (era) => {
  let agent: ConnectedAgent
  beforeAll(async () => {
    agent = await agentSession.connect(era)
  })
  afterAll(() => agent[Symbol.asyncDispose]())

  test('lists and reads every catalogue and operation', async () => {
    const { resources } = await agent.client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual([
      'media://enums',
      'media://voices',
      'media://layouts',
      ...operations.map(({ operation }) => `media://operations/${operation.name}`),
    ])
    for (const uri of uris) expect(Object.keys(await readJson(agent, uri)).length).toBeGreaterThan(0)
  })

  test('an operation resource contains the complete input schema of its tool', async () => {
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('media://operations/{name}')
    const operation = await readJson(agent, 'media://operations/video_split_screen')
    const { tools } = await agent.client.listTools()
    const tool = tools.find(({ name }) => name === 'video_split_screen')
    expect(operation).toMatchObject({
      name: 'video_split_screen',
      price: '1 credit per started minute of the shortest clip range',
      input: { additionalProperties: false, required: ['clips'] },
      output: { properties: { layout: { properties: { slots: { type: 'array' } } } } },
      examples: [{ title: expect.any(String), input: { clips: expect.any(Array) } }, {}],
    })
    expect(tool?.inputSchema.properties).toMatchObject(
      (operation['input'] as { properties: object }).properties,
    )
  })

  test('layouts are filtered by slot count and ratio, paginated, and contain no sketches', async () => {
    const page = await readJson(agent, 'media://layouts?slot_count=2&ratio=16%3A9&page=2&page_size=15')
    expect(page).toMatchObject({ total: 20, page: 2, page_size: 15 })
    expect(page['list']).toHaveLength(5)
    for (const layout of page['list'] as object[]) {
      expect(layout).toMatchObject({ slot_count: 2, ratios: expect.arrayContaining(['16:9']) })
      expect(layout).not.toHaveProperty('svg')
    }
  })

  test('a missing resource and an invalid filter are reported', async () => {
    for (const uri of [
      'media://operations/video_dance',
      'media://operations',
      'media://enums/x',
      'media://tools',
    ]) {
      await expect(agent.client.readResource({ uri })).rejects.toThrow(/not found/i)
    }
    await expect(agent.client.readResource({ uri: 'media://layouts?slot_count=40' })).rejects.toThrow(
      /6016: slot_count/,
    )
  })
})

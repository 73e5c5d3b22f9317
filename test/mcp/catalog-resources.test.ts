import type { Tool } from '@modelcontextprotocol/client'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JsonSchema, innerSchemas } from '../../src/contract/json-schema.ts'
import * as z from 'zod'
import { operations } from '../../tools/index.ts'
import { sampleCases } from '../soak-size.ts'
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

/** Names of fields at any depth. */
function fieldNames(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { inner, step } of innerSchemas(schema)) {
    if (step.startsWith('.') && step !== '.*') names.add(step.slice(1))
    for (const name of fieldNames(inner)) names.add(name)
  }
  return names
}

describe.each(eras)('%s client', (era) => {
  let agent: ConnectedAgent
  beforeAll(async () => {
    agent = await agentSession.shared(era)
  })

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
})

// What a resource contains does not depend on the client.
describe.each(sampleCases(eras, 1))('%s client', (era) => {
  let agent: ConnectedAgent
  let tools: readonly Tool[]
  beforeAll(async () => {
    agent = await agentSession.shared(era)
    tools = (await agent.client.listTools()).tools
  })

  test('an operation resource contains the complete input schema of its tool', async () => {
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('media://operations/{name}')
    const operation = await readJson(agent, 'media://operations/video_split_screen')
    const tool = tools.find(({ name }) => name === 'video_split_screen')
    expect(operation).toMatchObject({
      name: 'video_split_screen',
      price: '1 credit per started minute of the shortest clip range',
      details: expect.stringContaining('layout.layout_id'),
      input: { additionalProperties: false, required: ['clips'] },
      output: { properties: { layout: { properties: { slots: { type: 'array' } } } } },
      examples: [{ title: expect.any(String), arguments: { clips: expect.any(Array) } }, {}],
    })
    const { properties } = operation['input'] as { properties: object }
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining([...Object.keys(tool?.inputSchema.properties ?? {}), 'duration_mode']),
    )
  })

  test.each(operations.map(({ operation }) => operation))(
    'the resource of $name contains every field that its tool or the contract has, and calls that match it',
    async ({ name, input: contract, examples, agentForm }) => {
      const resource = await readJson(agent, `media://operations/${name}`)
      const input = resource['input'] as JsonSchema
      const listed = tools.find((tool) => tool.name === name)?.inputSchema as JsonSchema
      const names = fieldNames(input)
      const contractFields = fieldNames(z.toJSONSchema(contract, { io: 'input', unrepresentable: 'any' }))
      for (const field of [...fieldNames(listed), ...contractFields]) expect(names).toContain(field)
      expect(Object.keys(input.properties ?? {})).toEqual(
        expect.arrayContaining([...(agentForm?.own ?? []), 'wait_seconds', 'save_to', 'force_new']),
      )
      const calls = (resource['examples'] as { arguments: unknown }[]).map((example) => example.arguments)
      expect(calls).toEqual(examples.map(({ input: request, call }) => call ?? request))
      const isValid = new Ajv({ strict: false, formats: { html: true } }).compile(input)
      for (const call of calls) expect([isValid(call), isValid.errors]).toEqual([true, null])
    },
  )

  test('the resource of the timeline shows both forms of a call, and the limits that the list omits', async () => {
    const { input, examples } = await readJson(agent, 'media://operations/video_timeline_render')
    expect(input).toMatchObject({
      properties: {
        clips: { maxItems: 500, items: { properties: { clip_st: { maximum: 3_600_000 } } } },
        video_track: {
          items: { properties: { track_timeline: { items: { properties: { clip_id: {}, track_ed: {} } } } } },
        },
        beat_track: { type: 'array' },
      },
    })
    expect(examples).toEqual([
      expect.objectContaining({ arguments: expect.objectContaining({ clips: expect.any(Array) }) }),
      expect.objectContaining({ arguments: expect.objectContaining({ video_track: expect.any(Array) }) }),
    ])
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

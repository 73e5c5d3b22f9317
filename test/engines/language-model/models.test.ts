import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { configureServices } from '../../../src/engines/services/configured.ts'
import type { QuestionKind } from '../../../src/engines/language-model/question.ts'
import { fails, json, page } from '../services/fake-service.ts'
import { completes, openModel, setModel, startModelServer, type ModelServer } from './model-server.ts'

const answer = { lines: [{ id: 1, text: 'Guten Tag' }] }
const schema = z.object({ lines: z.array(z.object({ id: z.int(), text: z.string() })) })
const { signal } = new AbortController()
const kind: QuestionKind = { name: 'translate', schema, check: () => ({ isUsable: true, problems: [] }) }
const question = { kind, instructions: 'You translate.', input: { text: 'Hello' }, maxTokens: 500, signal }

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer(() => answer)
  setModel(server)
})
afterEach(() => server[Symbol.asyncDispose]())
afterAll(() => configureServices({}))

describe('the model', () => {
  it('is the only one of the server by default', async () => {
    setModel(server, { model: undefined, context_tokens: undefined })
    server.models = [{ id: 'qwen3-8b.gguf', meta: { n_ctx: 32_768, n_ctx_train: 131_072 } }]
    await using model = await openModel()
    expect([model.name, model.contextTokens]).toEqual([
      `qwen3-8b.gguf at ${new URL(server.origin).host}`,
      32_768,
    ])
    await model.ask(question)
    expect(server.asked[0]?.model).toBe('qwen3-8b.gguf')
  })

  it.each([
    [[], 'has no model'],
    [[{ id: 'a' }, { id: 'b' }], 'has several models (a, b)'],
  ])('must be named unless there is exactly one: %j', async (models, what) => {
    setModel(server, { model: undefined })
    server.models = models
    await expect(openModel()).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining(what),
      hint: expect.stringContaining(
        `Add one after a # in the setting "language_model": ${server.origin}/v1#`,
      ),
    })
  })

  it.each([
    [{ id: 'small', max_model_len: 40_960 }, 40_960],
    [{ id: 'small', context_length: 200_000 }, 200_000],
    [{ id: 'small:latest', context_length: 20_000 }, 20_000],
    [{ id: 'small' }, 4096],
    [{ id: 'other', context_length: 20_000 }, 4096],
  ])('has the context size that the server reports: %j', async (listed, contextTokens) => {
    setModel(server, { context_tokens: undefined })
    server.models = [listed]
    await using model = await openModel()
    expect(model.contextTokens).toBe(contextTokens)
  })

  it.each([fails(404), fails(403), fails(400), json({ models: ['small'] }), page()])(
    'need not be listed where it is named: %#',
    async (reply) => {
      setModel(server, { context_tokens: undefined })
      server.replies.push(reply)
      await using model = await openModel()
      expect([model.contextTokens, await model.ask(question)]).toEqual([4096, answer])
    },
  )

  it.each([
    fails(404, { error: { message: 'model "small" not found, try pulling it first' } }),
    fails(400, { error: { message: 'The model `small` does not exist', code: 'model_not_found' } }),
  ])('that is unknown causes an error with the available ones: %#', async (reply) => {
    server.models = [{ id: '/models/qwen3-8b.gguf' }, { id: 'gemma' }]
    server.faults.push(reply)
    await using model = await openModel()
    await expect(model.ask(question)).rejects.toMatchObject({
      code: 6401,
      retryable: false,
      message: expect.stringMatching(/^small at .* \(HTTP 40\d\)$/),
      hint: `It has /models/qwen3-8b.gguf, gemma. Add one after a # in the setting "language_model": ${server.origin}/v1#/models/qwen3-8b.gguf`,
    })
    expect(server.asked).toHaveLength(1)
  })

  it('that is listed is not reported as missing after a 404', async () => {
    server.models = [{ id: 'gemma' }, { id: 'small' }]
    server.faults.push(fails(404, { error: { message: 'no healthy upstream' } }))
    await using model = await openModel()
    await expect(model.ask(question)).rejects.toMatchObject({
      message: expect.stringContaining('(HTTP 404)'),
      hint: expect.stringContaining('Check the setting "language_model"'),
    })
  })

  it('that is unknown causes an error without a list as well', async () => {
    server.faults.push(fails(404))
    await using model = await openModel()
    server.replies.push(server.otherwise, fails(404))
    await expect(model.ask(question)).rejects.toMatchObject({
      message: expect.stringContaining('has no such model or endpoint (HTTP 404)'),
      hint: expect.stringContaining('Check the setting "language_model"'),
    })
  })

  it('causes an error if none is configured', async () => {
    configureServices({})
    await expect(openModel()).rejects.toMatchObject({
      code: 6401,
      message: 'no language model is set',
      hint: expect.stringContaining('Set "language_model" in reelwright.config.json of the data folder'),
      retryable: false,
    })
  })
})

describe('inputTokenBudget', () => {
  it('is the size of the largest input that is accepted', async () => {
    setModel(server, { context_tokens: 1024 })
    await using model = await openModel()
    const room = model.inputTokenBudget(question)
    expect(room).toBeGreaterThan(200)
    await model.ask({ ...question, input: { text: '你'.repeat(Math.floor(room / 1.1) - 5) } })
    await expect(model.ask({ ...question, input: { text: '你'.repeat(room) } })).rejects.toMatchObject({
      code: 6401,
      part: 'question',
      message: expect.stringContaining('does not fit the context of'),
    })
    expect(server.asked).toHaveLength(1)
  })

  it('omits an invalid answer from a correction that would not fit', async () => {
    setModel(server, { context_tokens: 1024 })
    server.faults.push(completes('blah '.repeat(1000)))
    await using model = await openModel()
    expect(await model.ask(question)).toEqual(answer)
    expect(server.asked[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  })
})

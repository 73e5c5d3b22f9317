import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { QuestionInput, QuestionKind } from '../../../src/engines/language-model/question.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import { breaks, fails, hangs, json, page } from '../services/fake-service.ts'
import { completes, openModel, setModel, startModelServer, type ModelServer } from './model-server.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer(() => answer)
  setModel(server)
})
afterEach(() => server[Symbol.asyncDispose]())
afterAll(() => configureServices({}))

const schema = z.object({
  lines: z.array(z.object({ id: z.int(), text: z.string().describe('Translated') })),
})
const answer = { lines: [{ id: 1, text: 'Guten Tag' }] }
const { signal } = new AbortController()
const kind: QuestionKind = { name: 'translate', schema, check: () => ({ isUsable: true, problems: [] }) }
const question = {
  kind,
  instructions: 'You translate.',
  input: { text: 'Hello' } as QuestionInput,
  maxTokens: 500,
  signal,
}

async function ask(more: Partial<typeof question> & Record<string, unknown> = {}) {
  await using model = await openModel()
  return await model.ask({ ...question, ...more })
}

const name = () => `small at ${new URL(server.origin).host}`

/** Last request that the model received. */
const lastWords = () => server.asked.at(-1)?.messages.at(-1)?.content

describe('a question', () => {
  it('has an answer that matches the schema', async () => {
    await using model = await openModel()
    expect(model.name).toBe(name())
    expect(await model.ask(question)).toEqual(answer)
    const [body] = server.asked
    expect(body).toMatchObject({ model: 'small', max_tokens: 500, temperature: 0, stream: false })
    expect(body?.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          required: ['lines'],
          additionalProperties: false,
          properties: { lines: { items: { additionalProperties: false, required: ['id', 'text'] } } },
        },
      },
    })
    expect(body?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(body?.messages[0]?.content).toMatch(/^You translate\.\n\n.*JSON Schema.*"Translated"/s)
    expect(model.usage).toEqual({ requests: 1, promptTokens: 100, answerTokens: 10 })
  })

  it('contains its input and images', async () => {
    const images = [{ type: 'image/png', bytes: Buffer.from('picture') }]
    await ask({ input: { text: 'Hello', lines: [{ id: 1 }, { id: 2 }] }, images })
    expect(server.asked[0]?.messages.slice(1)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '{\n"text": "Hello",\n"lines": [\n{"id":1},\n{"id":2}\n]\n}' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,cGljdHVyZQ==' } },
        ],
      },
    ])
  })

  const whole = JSON.stringify(answer)
  it.each([
    ['in a fence', `\`\`\`json\n${whole}\n\`\`\``],
    ['in chat', `Sure! Here {as you like}: ${whole} Anything else?`],
    ['after thoughts', `<think>{"lines": []} or {"no": 1}?</think>\n${whole}`],
    ['after thoughts that begin in the prompt', `{"lines": []}?\n</think>\n${whole}`],
    ['twice', `{"lines":[]}\n${whole}`],
    ['with other fields', JSON.stringify({ ...answer, note: 'done' })],
    ['with a comma too many', `{"lines":[{"id":1,"text":"Guten Tag",},],}`],
    ['in single quotes', `{'lines': [{'id': 1, 'text': 'Guten Tag'}]}`],
    ['as a bare array', JSON.stringify(answer.lines)],
    [
      'as a bare array in chat',
      `Here [as you like]: \`\`\`json\n${JSON.stringify(answer.lines)}\n\`\`\` [end]`,
    ],
    ['as a bare line', JSON.stringify(answer.lines[0])],
    ['with braces in its text', whole.replace('Guten Tag', 'Guten } Tag { \\" ')],
  ])('is understood %s', async (_, said) => {
    server.says = () => said
    const { lines } = await ask()
    expect(lines).toEqual([{ id: 1, text: expect.stringMatching(/^Guten/) }])
    expect(server.asked).toHaveLength(1)
  })

  it.each([
    ['of another form', { lines: [{ id: '1', text: 'Guten Tag' }] }, 'lines.0.id: must be a number'],
    ['without what is needed', { line: [] }, 'lines: required'],
    ['that is no JSON', 'I cannot do that.', 'no complete JSON object'],
    ['that ends in the middle', '{"lines":[{"id":1,"text":"Guten Tag"},{"id":2', 'no complete JSON object'],
    ['of an empty array', '[]', 'no complete JSON object'],
    ['of an array that ends in the middle', '[{"id":1,"text":"Guten Tag"},{"id":2', 'lines: required'],
    ['of lines that end in the middle', '{"id":1,"text":"Guten Tag"}\n{"id":2', 'lines: required'],
    ['that ends in its thoughts', '<think>{"lines":[]} seems right', 'was empty'],
    ['without words', '', 'was empty'],
  ])('is repeated after an answer %s, with what is wrong', async (_, said, mistake) => {
    server.faults.push(completes(said))
    expect(await ask()).toEqual(answer)
    expect(server.asked).toHaveLength(2)
    expect(lastWords()).toContain(mistake)
  })

  it('is repeated after a response without choices', async () => {
    server.faults.push(json({ choices: [] }))
    expect(await ask()).toEqual(answer)
  })

  it('fails after two corrections', async () => {
    server.says = () => ({ lines: 'none' })
    await expect(ask()).rejects.toMatchObject({
      code: 6401,
      message: `${name()} returned no valid answer in 3 tries: lines: must be a list`,
      retryable: true,
    })
    expect(server.asked).toHaveLength(3)
  })

  it('whose answer is truncated fails with an error of its own', async () => {
    server.says = () => answer
    server.faults.push(completes('{"lines":[{"id":1,"text":"Guten Tag"}', 'length'))
    await expect(ask()).rejects.toMatchObject({
      code: 6401,
      part: 'answer',
      message: `${name()} answered with more than the limit of 500 tokens`,
    })
    expect(server.asked).toHaveLength(1)
  })

  it('fails if the model declines', async () => {
    server.faults.push(completes('', 'stop', { content: null, refusal: 'I do not do that.' }))
    await expect(ask()).rejects.toMatchObject({
      message: `${name()} declines to answer`,
      cause: { message: 'the service said: I do not do that.' },
      retryable: false,
    })
  })
})

describe('a server', () => {
  it.each([
    ['json_schema', 'strict', ['json_schema', 'json_schema', 'json_object']],
    ['response_format', '', ['json_schema', 'json_schema', 'json_object', undefined]],
  ])('without %s is asked in another format, which is remembered', async (minded, _, types) => {
    server.minds = ({ response_format: format }) =>
      format && (minded === 'response_format' || format.type === minded) ? `unknown ${minded}` : undefined
    expect(await ask()).toEqual(answer)
    expect(server.asked.map(({ response_format: format }) => format?.type)).toEqual(types)
    await ask()
    expect(server.asked).toHaveLength(types.length + 1)
  })

  it('of reasoning models receives its own field names', async () => {
    server.minds = ({ max_tokens: most, temperature }) =>
      most !== undefined
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : temperature === undefined
          ? undefined
          : "Unsupported value: 'temperature' does not support 0 with this model."
    expect(await ask()).toEqual(answer)
    expect(server.asked.at(-1)?.max_completion_tokens).toBeGreaterThan(7500)
    expect(server.asked.at(-1)?.max_completion_tokens).toBeLessThan(8192)
    expect(server.asked.at(-1)).toHaveProperty('response_format.json_schema.strict', true)
    expect(server.asked).toHaveLength(3)
  })

  it.each(['', '<think>First I', 'First I think</think>'])(
    'whose model is truncated while reasoning (%j) is asked again with more tokens, and remembered',
    async (said) => {
      server.faults.push(completes(said, 'length'))
      expect(await ask()).toEqual(answer)
      await ask()
      const [first, ...others] = server.asked.map(({ max_tokens: most = 0 }) => most)
      expect(first).toBe(500)
      expect(others).toEqual([expect.any(Number), others[0]])
      expect(others[0]).toBeGreaterThan(7500)
    },
  )

  it('whose model only reasons causes an error', async () => {
    server.faults.push(completes('', 'length'), completes('', 'length'))
    await expect(ask()).rejects.toMatchObject({ code: 6401, part: 'answer' })
  })

  it('that rejects a request for another reason keeps its format', async () => {
    server.minds = () => 'no'
    await expect(ask()).rejects.toMatchObject({ code: 6401, retryable: false })
    server.minds = () => undefined
    await ask()
    expect(server.asked.at(-1)).toHaveProperty('response_format.json_schema.strict', true)
  })

  it('that is busy, disconnects or fails is retried', async () => {
    server.faults.push(fails(429, {}, { 'retry-after': '1' }), fails(500), breaks(), page(502))
    expect(await ask()).toEqual(answer)
    expect(server.asked).toHaveLength(5)
  })

  it.each([page(), json({ result: 'fine' }), json([])])(
    'that speaks another protocol causes an error: %#',
    async (reply) => {
      server.faults.push(reply)
      await expect(ask()).rejects.toMatchObject({
        code: 6401,
        message: `${name()} does not respond with a chat completion`,
        cause: { message: expect.stringMatching(/: content type (text\/html|application\/json)$/) },
        hint: expect.stringContaining('http://127.0.0.1:11434/v1#qwen3:8b'),
        retryable: false,
      })
    },
  )

  it('that hangs is aborted by the signal', async () => {
    const stop = new AbortController()
    server.faults.push(hangs())
    const asked = ask({ signal: stop.signal })
    await server.hears(1)
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })

  it('that rejects a long question causes TokenLimitExceeded', async () => {
    server.minds = () => "This model's maximum context length is 4096 tokens."
    await expect(ask()).rejects.toMatchObject({ code: 6401, part: 'question' })
    expect(server.asked).toHaveLength(1)
  })
})

import {
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** What the suite calls: a tool by its name, with what it does. */
export interface FixtureTool {
  readonly description: string
  readonly inputSchema?: Readonly<Record<string, unknown>>
  run(call: FixtureCall): FixtureResult | Promise<FixtureResult>
}

export type FixtureResult = CallToolResult | InputRequiredResult

export interface FixtureCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly context: ServerContext
  readonly server: Server
  readonly era: 'legacy' | 'modern'
  /** Tells listeners that tools or prompts have changed. */
  changed(what: 'tools_list_changed' | 'prompts_list_changed'): void
}

export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const textResult = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

const answering = (...content: ContentBlock[]) => ({ run: () => ({ content }) })
const image: ContentBlock = { type: 'image', data: pngBase64, mimeType: 'image/png' }
const noted = (uri: string, mimeType: string, body: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
})

/** An elicitation, over the older protocol's own channel or as an answer of the newer one. */
const form = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
})

const options = ['option1', 'option2', 'option3']
const titled = (values: Record<string, string>) =>
  Object.entries(values).map(([value, title]) => ({ const: value, title }))

async function elicit(call: FixtureCall, message: string, requestedSchema: ReturnType<typeof form>) {
  const params = { mode: 'form' as const, message, requestedSchema: requestedSchema as never }
  return await call.context.mcpReq.elicitInput(params)
}

const street = { type: 'string', minLength: 1 }

/** A schema of the words that servers must not drop. */
const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // A plain `then` would make it a promise to the lint.
  ...(JSON.parse('{"then":{"required":["phone"]}}') as object),
  else: { required: ['email'] },
  additionalProperties: false,
}

/** Content of every kind, schemas, errors, progress, logs, and what older servers ask their clients. */
export const plainTools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: {
    description: 'Answers a text',
    ...answering({ type: 'text', text: 'This is a simple text response for testing.' }),
  },
  test_image_content: { description: 'Answers a picture', ...answering(image) },
  test_audio_content: {
    description: 'Answers a sound',
    ...answering({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  },
  test_embedded_resource: {
    description: 'Answers a resource',
    ...answering(noted('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  },
  test_multiple_content_types: {
    description: 'Answers content of several kinds',
    ...answering(
      { type: 'text', text: 'Multiple content types test:' },
      image,
      noted('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  },
  json_schema_2020_12_tool: {
    description: 'Has a schema of every kind of word',
    inputSchema: richSchema,
    run: () => textResult('seen'),
  },
  test_error_handling: {
    description: 'Fails',
    run: () => ({ isError: true, ...textResult('This tool intentionally returns an error for testing') }),
  },
  test_tool_with_logging: {
    description: 'Logs three lines',
    async run({ context }) {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.notify({
          method: 'notifications/message',
          params: { level: 'info', data: line },
        })
      }
      return textResult('logged')
    },
  },
  test_tool_with_progress: {
    description: 'Tells its progress',
    async run({ context: { mcpReq } }) {
      const { _meta: meta } = mcpReq
      const progressToken = meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken === undefined) break
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      }
      return textResult('progressed')
    },
  },
  test_sampling: {
    description: 'Has the client write something',
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    async run({ args, context }) {
      const { content } = await context.mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: String(args['prompt']) } }],
        maxTokens: 100,
      })
      return textResult(`LLM response: ${JSON.stringify(content)}`)
    },
  },
  test_elicitation: {
    description: 'Asks the user',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    async run(call) {
      const field = (description: string) => ({ type: 'string', description })
      const fields = { username: field("User's response"), email: field("User's email address") }
      const { action, content } = await elicit(
        call,
        String(call.args['message']),
        form(fields, ['username', 'email']),
      )
      return textResult(`User response: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks the user, with defaults',
    async run(call) {
      const { action, content } = await elicit(
        call,
        'Look through the defaults',
        form({
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
      )
      return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks the user to choose',
    async run(call) {
      const { action, content } = await elicit(
        call,
        'Choose',
        form({
          untitledSingle: { type: 'string', enum: options },
          titledSingle: {
            type: 'string',
            oneOf: titled({ value1: 'First Option', value2: 'Second Option', value3: 'Third Option' }),
          },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: {
            type: 'array',
            items: {
              anyOf: titled({ value1: 'First Choice', value2: 'Second Choice', value3: 'Third Choice' }),
            },
          },
        }),
      )
      return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    },
  },
}

/** What newer servers do with what clients declare, and with those who listen. */
export const statelessTools: Readonly<Record<string, FixtureTool>> = {
  test_missing_capability: {
    description: 'Needs sampling',
    run() {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    },
  },
  test_streaming_elicitation: {
    description: 'Asks by its answer, not by a request',
    run: () =>
      inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Who?',
            requestedSchema: form({ name: { type: 'string' } }) as never,
          }),
        },
      }),
  },
  test_logging_tool: {
    description: 'Logs where the client wants to know',
    async run({ context }) {
      await context.mcpReq.log('info', 'working')
      return textResult('done')
    },
  },
  test_trigger_tool_change: {
    description: 'Tells that the tools have changed',
    run({ changed }) {
      changed('tools_list_changed')
      return textResult('changed')
    },
  },
  test_trigger_prompt_change: {
    description: 'Tells that the prompts have changed',
    run({ changed }) {
      changed('prompts_list_changed')
      return textResult('changed')
    },
  },
}

export function unknownTool(name: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`)
}

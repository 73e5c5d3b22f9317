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

/** A tool that the suite calls. */
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
  /** Notifies listeners that the list of tools or prompts has changed. */
  changed(notification: 'tools_list_changed' | 'prompts_list_changed'): void
}

export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const textResult = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

const returning = (...content: ContentBlock[]) => ({ run: () => ({ content }) })
const image: ContentBlock = { type: 'image', data: pngBase64, mimeType: 'image/png' }
const embeddedResource = (uri: string, mimeType: string, body: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
})

/** Schema of an elicitation form. */
const elicitationForm = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
})

const options = ['option1', 'option2', 'option3']
const titled = (values: Record<string, string>) =>
  Object.entries(values).map(([value, title]) => ({ const: value, title }))

async function elicit(
  call: FixtureCall,
  message: string,
  requestedSchema: ReturnType<typeof elicitationForm>,
) {
  const params = { mode: 'form' as const, message, requestedSchema: requestedSchema as never }
  return await call.context.mcpReq.elicitInput(params)
}

const street = { type: 'string', minLength: 1 }

/** A schema with the keywords that servers must preserve. */
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

/** Tools for content of every kind, schemas, errors, progress, logs, and server-to-client requests. */
export const plainTools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: {
    description: 'Returns text',
    ...returning({ type: 'text', text: 'This is a simple text response for testing.' }),
  },
  test_image_content: { description: 'Returns an image', ...returning(image) },
  test_audio_content: {
    description: 'Returns audio',
    ...returning({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  },
  test_embedded_resource: {
    description: 'Returns a resource',
    ...returning(
      embeddedResource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
  },
  test_multiple_content_types: {
    description: 'Returns content of several kinds',
    ...returning(
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embeddedResource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  },
  json_schema_2020_12_tool: {
    description: 'Has a schema with many keywords',
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
    description: 'Reports progress',
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
    description: 'Requests sampling from the client',
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
        elicitationForm(fields, ['username', 'email']),
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
        elicitationForm({
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
        elicitationForm({
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

/** Tools for declared client capabilities and change notifications (newer revision). */
export const statelessTools: Readonly<Record<string, FixtureTool>> = {
  test_missing_capability: {
    description: 'Requires sampling',
    run() {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    },
  },
  test_streaming_elicitation: {
    description: 'Asks in its result, not by a request',
    run: () =>
      inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Who?',
            requestedSchema: elicitationForm({ name: { type: 'string' } }) as never,
          }),
        },
      }),
  },
  test_logging_tool: {
    description: 'Logs at the level that the client requested',
    async run({ context }) {
      await context.mcpReq.log('info', 'working')
      return textResult('done')
    },
  },
  test_trigger_tool_change: {
    description: 'Notifies that the tools have changed',
    run({ changed }) {
      changed('tools_list_changed')
      return textResult('changed')
    },
  },
  test_trigger_prompt_change: {
    description: 'Notifies that the prompts have changed',
    run({ changed }) {
      changed('prompts_list_changed')
      return textResult('changed')
    },
  },
}

export function unknownTool(name: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`)
}

import * as z from 'zod'
import { dropSafeBounds, type JsonSchema } from '../../contract/json-schema.ts'
import type { Message } from './chat.ts'
import type { Question } from './language-model.ts'
import { estimateTokens, imageTokens } from './tokens.ts'

/** Tokens around a message, for its role and its ends. */
const messageTokens = 6

/** A schema as JSON Schema, of what a model has to write: no field beside its own. */
export function schemaOf(schema: z.ZodObject): JsonSchema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      dropSafeBounds(jsonSchema)
      if (jsonSchema.properties) jsonSchema.additionalProperties = false
    },
  })
  return written
}

/** The conversation that a question begins with. */
export function messagesOf<S extends z.ZodObject>(
  { system, prompt, examples = [], images }: Pick<Question<S>, 'system' | 'prompt' | 'examples' | 'images'>,
  schema: JsonSchema,
): Message[] {
  return [
    // Also where a server is told of the schema: not all of them tell their models, and some heed nothing.
    {
      role: 'system',
      content: `${system}\n\n${wanted} It keeps this JSON Schema: ${JSON.stringify(schema)}`,
    },
    ...examples.flatMap((example): Message[] => [
      { role: 'user', content: example.prompt },
      { role: 'assistant', content: JSON.stringify(example.answer) },
    ]),
    { role: 'user', content: prompt, images },
  ]
}

const wanted = 'Answer with one JSON object and nothing else.'

/** The conversation with what was wrong with an answer; without the answer itself where that would not fit. */
export function corrected(
  begun: readonly Message[],
  { answer, mistakes, room }: { answer: string; mistakes: readonly string[]; room: number },
): Message[] {
  const told: Message = {
    role: 'user',
    content: `That is not the answer that was asked for:\n${mistakes.map((one) => `- ${one}`).join('\n')}\n${wanted} Give the whole of it again.`,
  }
  const whole: Message[] = [...begun, { role: 'assistant', content: answer }, told]
  return answer !== '' && tokensOf(whole) <= room ? whole : [...begun, told]
}

/** Estimates the tokens of a conversation. */
export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, { content, images = [] }) =>
      sum + messageTokens + estimateTokens(content) + images.length * imageTokens,
    0,
  )
}

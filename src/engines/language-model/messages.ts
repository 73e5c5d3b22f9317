import * as z from 'zod'
import { dropSafeBounds, type JsonSchema } from '../../contract/json-schema.ts'
import type { ChatMessage } from './chat.ts'
import type { ModelQuestion } from './language-model.ts'
import { estimateTokens, imageTokens } from './tokens.ts'

/** Tokens around a message, for its role and its ends. */
const messageTokens = 6

/** A schema as JSON Schema, of what a model has to write: no field beside its own. */
export function answerJsonSchema(schema: z.ZodObject): JsonSchema {
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
export function questionMessages<S extends z.ZodObject>(
  {
    system,
    prompt,
    examples = [],
    images,
  }: Pick<ModelQuestion<S>, 'system' | 'prompt' | 'examples' | 'images'>,
  schema: JsonSchema,
): ChatMessage[] {
  return [
    // Also where a server is told of the schema: not all of them tell their models, and some heed nothing.
    {
      role: 'system',
      content: `${system}\n\n${answerInstruction} It keeps this JSON Schema: ${JSON.stringify(schema)}`,
    },
    ...examples.flatMap((example): ChatMessage[] => [
      { role: 'user', content: example.prompt },
      { role: 'assistant', content: JSON.stringify(example.answer) },
    ]),
    { role: 'user', content: prompt, images },
  ]
}

const answerInstruction = 'Answer with one JSON object and nothing else.'

/** The conversation with what was wrong with an answer; without the answer itself where that would not fit. */
export function correctionMessages(
  begun: readonly ChatMessage[],
  { answer, mistakes, room }: { answer: string; mistakes: readonly string[]; room: number },
): ChatMessage[] {
  const told: ChatMessage = {
    role: 'user',
    content: `That is not the answer that was asked for:\n${mistakes.map((one) => `- ${one}`).join('\n')}\n${answerInstruction} Give the whole of it again.`,
  }
  const whole: ChatMessage[] = [...begun, { role: 'assistant', content: answer }, told]
  return answer !== '' && estimateMessageTokens(whole) <= room ? whole : [...begun, told]
}

/** Estimates the tokens of a conversation. */
export function estimateMessageTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, { content, images = [] }) =>
      sum + messageTokens + estimateTokens(content) + images.length * imageTokens,
    0,
  )
}

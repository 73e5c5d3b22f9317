import * as z from 'zod'
import { dropSafeBounds, type JsonSchema } from '../../contract/json-schema.ts'
import type { ChatMessage } from './chat-completions.ts'
import type { ModelQuestion } from './language-model.ts'

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

/** Characters of scripts that models write with about a token each. */
const denseScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Letters of other scripts than the Latin: words of theirs fall into small pieces. */
const otherScripts =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Digits and signs, which seldom share a token. */
const digitsAndSigns = /[\d{}[\]":,\n]/g

/** Tokens of a picture: vision models take 256 to 1,600 of one of a megapixel. */
const imageTokens = 1600

/** Estimates the tokens of a text, rather too many: tokenizers differ by a quarter, and what does not fit is cut. */
export function estimateTokens(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  const [heavy, middling, alone] = [count(denseScripts), count(otherScripts), count(digitsAndSigns)]
  const plain = text.length - heavy - middling - alone
  return Math.ceil(heavy * 1.1 + middling * 0.75 + alone * 0.6 + plain / 3.5)
}

import * as z from 'zod'
import { dropSafeBounds, type JsonSchema } from '../../contract/json-schema.ts'
import type { ChatMessage } from './chat-completions.ts'
import type { QuestionImage } from '../../contract/questions.ts'
import type { QuestionInput } from './question.ts'

/** Tokens that a message adds to its content, for its role and delimiters. */
const messageTokens = 6

/** Converts the schema of an answer to JSON Schema without additional properties. */
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

/** Returns the initial messages of a question. */
export function questionMessages({
  kind,
  instructions,
  input,
  images,
}: {
  readonly kind: { readonly schema: z.ZodObject }
  readonly instructions: string
  readonly input: QuestionInput
  readonly images?: readonly QuestionImage[] | undefined
}): ChatMessage[] {
  const schema = JSON.stringify(answerJsonSchema(kind.schema))
  return [
    // Servers that receive the schema do not always pass it to their models, so that the prompt contains it too.
    {
      role: 'system',
      content: `${instructions}\n\n${answerInstruction} It must match this JSON Schema: ${schema}`,
    },
    { role: 'user', content: renderInput(input), images },
  ]
}

/** Writes an input as JSON with each item of a list on its own line. */
export function renderInput(input: QuestionInput): string {
  const fields = Object.entries(input).flatMap(([name, value]) => {
    if (value === undefined) return []
    const lines = Array.isArray(value) && value.length > 0 && value.map((item) => JSON.stringify(item))
    return [`${JSON.stringify(name)}: ${lines ? `[\n${lines.join(',\n')}\n]` : JSON.stringify(value)}`]
  })
  return `{\n${fields.join(',\n')}\n}`
}

const answerInstruction = 'Answer with one JSON object and nothing else.'

/** Returns messages that ask for a corrected answer. They omit the invalid answer if it does not fit. */
export function correctionMessages(
  initial: readonly ChatMessage[],
  { answer, issues, maxTokens }: { answer: string; issues: readonly string[]; maxTokens: number },
): ChatMessage[] {
  const correction: ChatMessage = {
    role: 'user',
    content: `The answer has mistakes:\n${issues.map((one) => `- ${one}`).join('\n')}\n${answerInstruction} Give the complete answer again.`,
  }
  const complete: ChatMessage[] = [...initial, { role: 'assistant', content: answer }, correction]
  return answer !== '' && estimateMessageTokens(complete) <= maxTokens ? complete : [...initial, correction]
}

/** Estimates the tokens of messages. */
export function estimateMessageTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, { content, images = [] }) =>
      sum + messageTokens + estimateTokens(content) + images.length * imageTokens,
    0,
  )
}

/** Characters of scripts that take about one token each. */
const denseScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Letters of other non-Latin scripts, whose words are split into small tokens. */
const otherScripts =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Digits and signs, which seldom share a token. */
const digitsAndSigns = /[\d{}[\]":,\n]/g

/** Tokens of an image: vision models use 256 to 1,600 for one megapixel. */
const imageTokens = 1600

/**
 * Estimates the tokens of a text. Errs on the high side: tokenizers differ by 25 %, and excess text would be truncated.
 */
export function estimateTokens(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  const [dense, nonLatin, digits] = [count(denseScripts), count(otherScripts), count(digitsAndSigns)]
  const plain = text.length - dense - nonLatin - digits
  return Math.ceil(dense * 1.1 + nonLatin * 0.75 + digits * 0.6 + plain / 3.5)
}

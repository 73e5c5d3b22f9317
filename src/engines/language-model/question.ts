import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { QuestionImage } from '../../contract/questions.ts'
import { answerJsonSchema } from './messages.ts'

/** Data of a question, as JSON. Models treat it as content, never as instructions. */
export type QuestionInput = Readonly<Record<string, unknown>>

/**
 * A kind of question: the schema of its answers, and a check of what the schema cannot express. The check is a method, so
 * that a kind fits a list of kinds: its arguments were asked and parsed as this kind.
 */
export interface QuestionKind<I extends QuestionInput = QuestionInput, S extends z.ZodObject = z.ZodObject> {
  /** Name, such as `translate_lines`. */
  readonly name: string
  /** Models read the descriptions of its fields. */
  readonly schema: S
  /** Checks an answer that matches the schema. Pure: it also runs where answers arrive, apart from the operation. */
  check(input: I, answer: z.output<S>): AnswerCheck
}

/** Result of checking an answer. */
interface AnswerCheck {
  /** Whether any part of the answer can be used; what is missing is asked again. */
  readonly isUsable: boolean
  /** Mistakes with their places, as sentences without a final full stop. */
  readonly problems: readonly string[]
}

/** A question whose answer matches the schema of its kind. */
export interface ModelQuestion<I extends QuestionInput, S extends z.ZodObject> {
  readonly kind: QuestionKind<I, S>
  readonly instructions: string
  readonly input: I
  readonly images?: readonly QuestionImage[]
  /** Maximum tokens of the answer, without reasoning. */
  readonly maxTokens: number
  /** Sampling temperature; 0 by default. */
  readonly temperature?: number
  readonly signal: AbortSignal
}

/** Identifies a question by its content: 32 hex digits of a SHA-256. `salt` makes equal questions different. */
export function questionId<I extends QuestionInput, S extends z.ZodObject>(
  question: ModelQuestion<I, S>,
  salt: string,
): string {
  const { kind, instructions, input, images = [], maxTokens, temperature = 0 } = question
  const hash = createHash('sha256')
  hash.update(
    JSON.stringify([
      ...[salt, kind.name, instructions, input, answerJsonSchema(kind.schema), maxTokens, temperature],
      images.map(({ type, bytes }) => [type, bytes.byteLength]),
    ]),
  )
  for (const { bytes } of images) hash.update(bytes)
  return hash.digest('hex').slice(0, 32)
}

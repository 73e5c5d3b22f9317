import type { JsonSchema } from '../contract/json-schema.ts'
import { answerJsonSchema } from './language-model/messages.ts'
import type { QuestionInput, QuestionKind } from './language-model/question.ts'
import { summarizeLines } from './translation/brief.ts'
import { translateLinesKind } from './translation/questions.ts'

/** A kind of question whose input and answer are not typed, as where answers arrive. */
type AnyKind = Pick<QuestionKind, 'name' | 'schema'> & {
  check(input: QuestionInput, answer: unknown): ReturnType<QuestionKind['check']>
}

/** All kinds of questions, for the check of answers apart from the operations that ask them. */
export const questionKinds: ReadonlyMap<string, AnyKind> = new Map(
  [summarizeLines, translateLinesKind].map((kind) => [kind.name, kind as unknown as AnyKind]),
)

/** JSON Schema of the answers to a kind of question; an unknown kind has an open object. */
export function answerSchemaOf(name: string): JsonSchema {
  const kind = questionKinds.get(name)
  return kind ? answerJsonSchema(kind.schema) : { type: 'object' }
}

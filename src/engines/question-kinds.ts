import type { JsonSchema } from '../contract/json-schema.ts'
import { describeImagesKind } from './description/question.ts'
import { rewriteLinesKind } from './dubbing/rewrite-lines.ts'
import { answerJsonSchema } from './language-model/messages.ts'
import type { QuestionKind } from './language-model/question.ts'
import { describeClipKind, rankClipsKind, selectHighlightsKind } from './shorts/questions.ts'
import { summarizeLinesKind } from './translation/brief.ts'
import { translateLinesKind } from './translation/questions.ts'

const kinds: readonly QuestionKind[] = [
  summarizeLinesKind,
  translateLinesKind,
  selectHighlightsKind,
  rankClipsKind,
  describeClipKind,
  describeImagesKind,
  rewriteLinesKind,
]

/** All kinds of questions by name, for the check of answers apart from the operations that ask them. */
export const questionKinds: ReadonlyMap<string, QuestionKind> = new Map(
  kinds.map((kind) => [kind.name, kind]),
)

/** JSON Schema of the answers to a kind of question; an unknown kind has an open object. */
export function answerSchemaOf(name: string): JsonSchema {
  const kind = questionKinds.get(name)
  return kind ? answerJsonSchema(kind.schema) : { type: 'object' }
}

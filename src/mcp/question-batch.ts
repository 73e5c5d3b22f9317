import type { JsonSchema } from '../contract/json-schema.ts'
import { toTables, toTableSchema } from '../contract/question-tables.ts'
import type { OpenQuestion } from '../contract/questions.ts'
import { routes } from '../contract/routes.ts'
import type { Session } from './session.ts'

/** Questions with the same instructions. */
interface QuestionGroup {
  readonly kind: string
  readonly instructions: string
  readonly answer_schema: JsonSchema
  readonly questions: readonly {
    readonly question_id: string
    readonly input: Readonly<Record<string, unknown>>
    /** Number of images, which follow the text in the order of the questions. */
    readonly images?: number
    readonly problems?: readonly string[]
  }[]
}

/** Questions that an agent answers in one call, and the images that they are about. */
export interface QuestionBatch {
  readonly groups: readonly QuestionGroup[]
  /** Questions that follow in later batches. */
  readonly more: number
  readonly imageUrls: readonly string[]
}

/** Most that one batch asks: characters of JSON (about 6,000 tokens), tokens of the answers, and images. */
const limits = { characters: 20_000, answerTokens: 6600, images: 4 }

/** Returns the next open questions of a task that an agent answers in one call. */
export async function fetchQuestionBatch(
  { client }: Session,
  task_id: string,
  signal: AbortSignal,
): Promise<QuestionBatch> {
  const { questions } = await client.call(routes.listQuestions, { params: { task_id }, signal })
  const chosen = chooseQuestions(questions)
  return {
    groups: groupQuestions(chosen),
    more: questions.length - chosen.length,
    imageUrls: chosen.flatMap(({ images = [] }) => images.map(({ url }) => url)),
  }
}

/** The first questions that fit the limits; at least one. */
export function chooseQuestions(questions: readonly OpenQuestion[]): readonly OpenQuestion[] {
  let [characters, answerTokens, images] = [0, 0, 0]
  const count = questions.findIndex((question, at) => {
    characters += JSON.stringify(toTables(question.input)).length
    answerTokens += question.max_answer_tokens
    images += question.images?.length ?? 0
    const fits =
      characters <= limits.characters && answerTokens <= limits.answerTokens && images <= limits.images
    return at > 0 && !fits
  })
  return count < 0 ? questions : questions.slice(0, count)
}

/** Groups consecutive questions, so that instructions and schema are stated once. */
function groupQuestions(questions: readonly OpenQuestion[]): QuestionGroup[] {
  const groups = Map.groupBy(questions, ({ kind, instructions }) => JSON.stringify([kind, instructions]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { kind, instructions, answer_schema } = first
    return [
      {
        ...{ kind, instructions, answer_schema: toTableSchema(answer_schema) },
        questions: group.map(({ question_id, input, images, problems }) => ({
          ...{ question_id, input: toTables(input) },
          ...(images && { images: images.length }),
          ...(problems && { problems }),
        })),
      },
    ]
  })
}

/** Longest image of a question, bytes. */
const maxImageBytes = 4 * 2 ** 20

/** Returns the images of a batch, in order. */
export async function fetchQuestionImages(
  { client }: Session,
  { imageUrls }: QuestionBatch,
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly mimeType: string }[]> {
  const images = []
  for (const address of imageUrls) {
    const { headers, body } = await client.send({ method: 'GET', address, idempotent: true, signal })
    const bytes = Buffer.from(await body.arrayBuffer())
    if (bytes.length <= maxImageBytes) images.push({ bytes, mimeType: String(headers['content-type']) })
  }
  return images
}

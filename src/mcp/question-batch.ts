import { fetchQuestionImage } from '../client/preview.ts'
import type { TaskRef } from '../client/tasks.ts'
import type { JsonSchema } from '../contract/json-schema.ts'
import { toTables, toTableSchema } from '../contract/question-tables.ts'
import type { OpenQuestion } from '../contract/questions.ts'
import { routes } from '../contract/routes.ts'
import type { ToolReply } from './reply.ts'
import type { Session } from './session.ts'

type Images = NonNullable<ToolReply['images']>

/** Questions with the same instructions. */
interface QuestionGroup {
  readonly kind: string
  readonly instructions: string
  readonly answer_schema: JsonSchema
  readonly questions: readonly {
    readonly question_id: string
    readonly input: Readonly<Record<string, unknown>>
    /** Number of its images. They follow the text, in the order of the groups and their questions. */
    readonly images?: number
    /** Number of further images, which could not be fetched. */
    readonly missing_images?: number
    readonly problems?: readonly string[]
  }[]
}

/** Questions that an agent answers in one call, and the images that they are about. */
export interface QuestionBatch {
  readonly groups: readonly QuestionGroup[]
  /** Questions that follow in later batches. */
  readonly more: number
  /** In the order of the groups and their questions. */
  readonly images: Images
}

/** Most that one batch asks: characters of JSON (about 6,000 tokens), tokens of the answers, and images. */
const limits = { characters: 20_000, answerTokens: 6600, images: 4 }

/** Returns the next open questions of a task that an agent answers in one call; undefined if it has none. */
export async function fetchQuestionBatch(
  { client }: Session,
  { task_id }: Pick<TaskRef, 'task_id'>,
  signal: AbortSignal,
): Promise<QuestionBatch | undefined> {
  const { questions } = await client.call(routes.listQuestions, { params: { task_id }, signal })
  if (questions.length === 0) return undefined
  const chosen = groupQuestions(chooseQuestions(questions))
  const groups: QuestionGroup[] = []
  const images: Images[number][] = []
  for (const { questions: some, ...shared } of chosen) {
    const shown: QuestionGroup['questions'][number][] = []
    for (const question of some) {
      const fetched = await fetchImages(client, { task_id, question }, signal)
      images.push(...fetched)
      shown.push(describeQuestion(question, fetched.length))
    }
    groups.push({ ...shared, questions: shown })
  }
  const count = chosen.reduce((total, { questions: some }) => total + some.length, 0)
  return { groups, more: questions.length - count, images }
}

async function fetchImages(
  client: Session['client'],
  { task_id, question }: { readonly task_id: string; readonly question: OpenQuestion },
  signal: AbortSignal,
): Promise<Images> {
  const images: Images[number][] = []
  for (const index of question.images?.keys() ?? []) {
    const { question_id } = question
    const image = await fetchQuestionImage(client, { task_id, question_id, index }, signal)
    if (image) images.push(image)
  }
  return images
}

function describeQuestion(
  { question_id, input, images = [], problems }: OpenQuestion,
  fetched: number,
): QuestionGroup['questions'][number] {
  const missing = images.length - fetched
  return {
    ...{ question_id, input: toTables(input) },
    ...(fetched > 0 && { images: fetched }),
    ...(missing > 0 && { missing_images: missing }),
    ...(problems && { problems }),
  }
}

/**
 * The first questions that fit the limits, and at least one: a question that alone exceeds them must be asked too, as
 * only its operation could split it.
 */
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

/** Groups questions with equal instructions, so that instructions and schema are stated once. */
function groupQuestions(
  questions: readonly OpenQuestion[],
): (Omit<QuestionGroup, 'questions'> & { readonly questions: readonly OpenQuestion[] })[] {
  const groups = Map.groupBy(questions, ({ kind, instructions }) => JSON.stringify([kind, instructions]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { kind, instructions, answer_schema } = first
    return [{ kind, instructions, answer_schema: toTableSchema(answer_schema), questions: group }]
  })
}

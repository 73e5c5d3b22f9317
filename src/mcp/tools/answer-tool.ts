import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { id } from '../../contract/fields.ts'
import { describeSize } from '../../contract/format.ts'
import { maxAnswersBytes, maxOpenQuestions } from '../../contract/questions.ts'
import { routes } from '../../contract/routes.ts'
import { waitSeconds } from '../call-limits.ts'
import { followTask } from '../run-operation.ts'
import { lookUpTask } from '../session.ts'
import { snapshotSchema } from '../snapshot.ts'
import { defineTool } from '../tool.ts'

/**
 * Published as an object, but any value is passed on: the service rejects a malformed answer alone, with the form that is
 * needed, and counts it.
 */
const givenAnswer = z
  .unknown()
  .refine((answer) => answer !== undefined, {
    error: 'required',
    params: { fix: 'Answer as the answer_schema of the question requires.' },
  })
  .meta({ type: 'object', additionalProperties: true, description: 'As answer_schema requires' })

/** Answers questions that a task asks the agent, and waits for its next questions or its result. */
export const answerQuestionsTool = defineTool(
  {
    name: 'answer_questions',
    title: 'Answer questions',
    description:
      'Answers questions of a task, such as lines to translate. Waits for its next ones or its result.',
    input: z.object({
      task_id: id,
      answers: z
        .array(
          z.object({
            question_id: z.string().max(64),
            answer: givenAnswer,
          }),
        )
        .min(1)
        .max(maxOpenQuestions),
      wait_seconds: waitSeconds,
    }),
    example: {
      task_id: '1947528019203325952',
      answers: [{ question_id: '0f8e…', answer: { lines: [[1, 'We were', '我们在路上']] } }],
    },
    errors: routes.answerQuestions.errors,
    outputSchema: snapshotSchema,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { task_id, answers, wait_seconds }, call) => {
    assertSmall(answers)
    const task = await lookUpTask(session, task_id)
    const params = { task_id }
    const { answers: outcomes } = await session.client.call(routes.answerQuestions, {
      params,
      body: { answers },
      signal: call.signal,
    })
    const { data, ...reply } = await followTask(session, { ...task, waitSeconds: wait_seconds }, call)
    const rejected = outcomes.filter(
      ({ outcome, problems = [] }) => outcome !== 'accepted' || problems.length > 0,
    )
    return { ...reply, data: { ...data, ...(rejected.length > 0 && { answers: rejected }) } }
  },
)

/** Throws 6016 for answers that the service would not read whole. */
function assertSmall(answers: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify({ answers }))
  if (bytes <= maxAnswersBytes) return
  throw new MediaError(
    6016,
    `answers: ${describeSize(bytes)} are more than ${describeSize(maxAnswersBytes)}`,
    {
      hint: 'Answer fewer questions in a call, only as their instructions say.',
    },
  )
}

import type { FastifyInstance } from 'fastify'
import type { OpenQuestion } from '../../src/contract/questions.ts'
import { fail, ok } from './contract-responses.ts'
import type { ContractServer } from './contract-server.ts'

/** Response with an image of a question. */
export interface StoredImage {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
}

interface OfTask {
  readonly Params: { readonly id: string }
}

/** Endpoints of the test double for questions. Answers are accepted without a check. */
export function serveQuestions(app: FastifyInstance, double: ContractServer): void {
  app.get<OfTask>('/task/:id/questions', async ({ params: { id } }) => {
    double.beforeQuestions(id)
    return ok({ task_id: id, questions: double.questions.get(id) ?? [] })
  })
  app.get('/task/:id/questions/:question/images/:index', async ({ url }, reply) => {
    const image = double.questionImages.get(url)
    if (!image) return fail(reply, [6004, 404], 'no such image')
    return reply.code(image.status).type(image.type).send(image.bytes)
  })
}

/** A question about nothing in particular. */
export function openQuestion(question_id: string, about: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    ...{ question_id, kind: 'summarize_lines', instructions: 'Sum up.', input: { lines: ['One'] } },
    ...{ answer_schema: { type: 'object' }, max_answer_tokens: 100 },
    ...about,
  }
}

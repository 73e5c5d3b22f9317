import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answersQuestionsHeader, questionAnswers } from '../contract/questions.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { readBody } from '../contract/validation.ts'
import { answerQuestions } from '../tasks/answer-questions.ts'
import { listQuestions, readQuestionImage } from '../tasks/questions.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { abortOnDisconnect } from './connections.ts'
import { fastifyPath } from './request-input.ts'
import { withRequestLog } from './request-log.ts'
import { success } from './responses.ts'

/** Lists the questions of tasks to the agents that created them, and takes answers. */
export function registerQuestionRoutes(app: FastifyInstance, service: Service): void {
  app.get(fastifyPath(routes.listQuestions.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    return success(await listQuestions(service, authenticatedCaller(request), id))
  })
  app.get(fastifyPath(rawRoutes.questionImage.path), async (request, reply) => {
    const parameters = request.params as { task_id: string; question_id: string; index: string }
    const { task_id: taskId, question_id: questionId, index } = parameters
    const image = { taskId, questionId, index: /^\d{1,3}$/.test(index) ? Number(index) : -1 }
    const { type, bytes } = await readQuestionImage(service, authenticatedCaller(request), image)
    return reply.header('x-content-type-options', 'nosniff').type(type).send(bytes)
  })
  app.post(fastifyPath(routes.answerQuestions.path), async (request, reply) => {
    const { task_id: id } = request.params as { task_id: string }
    const { answers } = readBody(questionAnswers, request.body, {
      answers: [{ question_id: '0123456789abcdef0123456789abcdef', answer: { lines: [] } }],
    })
    const given = { id, answers, signal: abortOnDisconnect(reply) }
    return success(
      await answerQuestions(withRequestLog(service, request), authenticatedCaller(request), given),
    )
  })
}

/** Whether the caller offers to answer questions to a language model. */
export function offersAnswers({ headers }: FastifyRequest): boolean {
  return String(headers[answersQuestionsHeader.toLowerCase()] ?? '').trim() === '1'
}

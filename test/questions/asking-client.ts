import { fillPath, routes } from '../../src/contract/routes.ts'
import type { AnswersReport, QuestionList } from '../../src/contract/questions.ts'
import { isTerminal, type TaskCreated } from '../../src/contract/task.ts'
import { api, type ApiResponse, pollUntil } from '../service/api.ts'

/** A client that offers to answer the questions of its tasks. */
export function askingClient(account: { readonly baseUrl: string; readonly apiKey: string }) {
  const calls = api(account)
  const post = <T>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    calls.send<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return {
    ...calls,
    create: (
      type: string,
      body: unknown,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<ApiResponse<TaskCreated>> =>
      post(fillPath(routes.createTask.path, { task_type: type }), body, {
        'answers-questions': '1',
        ...headers,
      }),
    questions: (id: string) => calls.send<QuestionList>(fillPath(routes.listQuestions.path, { task_id: id })),
    /** The task once it waits for answers or has ended. */
    waiting: (type: string, id: string) =>
      pollUntil(
        () => calls.query(type, id),
        ({ data }) => data.questions_open !== undefined || isTerminal(data.status),
        { backOff: true },
      ),
    answer: (id: string, answers: readonly { readonly question_id: string; readonly answer: unknown }[]) =>
      post<AnswersReport>(fillPath(routes.answerQuestions.path, { task_id: id }), { answers }),
  }
}

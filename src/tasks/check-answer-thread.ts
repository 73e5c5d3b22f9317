import { serveThread } from '../threads/serve-thread.ts'
import { type AnswerJob, checkAnswerHere, type CheckedAnswer } from './check-answer.ts'

// A thread that checks large answers of an agent.

serveThread(async (jobs: readonly AnswerJob[]): Promise<CheckedAnswer[]> => jobs.map(checkAnswerHere))

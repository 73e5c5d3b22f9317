import { serveThread } from '../threads/serve-thread.ts'
import { type AnswerJob, checkAnswerHere, type CheckedAnswer } from './check-answer.ts'

// A thread that checks one large answer of an agent.

serveThread(async (job: AnswerJob): Promise<CheckedAnswer> => checkAnswerHere(job))

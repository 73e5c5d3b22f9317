import { createHash } from 'node:crypto'
import type * as z from 'zod'
import {
  type AskTaskQuestions,
  maxOpenQuestions,
  type QuestionImage,
  type QuestionState,
  SuspendedError,
  type TaskQuestion,
} from '../../contract/questions.ts'
import { LruByteCache } from '../../platform/cache.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { shrinkImage } from '../ffmpeg/shrink-image.ts'
import { type LanguageModel, NoUsableAnswer } from './language-model.ts'
import { estimateTokens, renderInput } from './messages.ts'
import { type ModelQuestion, questionId, type QuestionInput } from './question.ts'

/** Tokens of one question: several are sent to the agent at once. */
const contextTokens = 8192

/** Longest side of images, pixels: enough to describe them, at about 700 tokens each. */
const longestImageSide = 768

/** Images converted at a time. */
const maxConversions = 2

/** A question that waits to be sent, and the promise of its state. */
interface Pending {
  readonly question: TaskQuestion
  readonly signal: AbortSignal
  readonly resolve: (state: QuestionState) => void
  readonly reject: (error: unknown) => void
}

/** Returns a function that sends the questions of one turn of the event loop together. */
function sendTogether(
  askTask: AskTaskQuestions,
): (question: TaskQuestion, signal: AbortSignal) => Promise<QuestionState> {
  let pending: Pending[] = []
  const flush = async (): Promise<void> => {
    const asked = pending
    pending = []
    try {
      const states = await askTask(await Promise.all(asked.map(withSmallImages)))
      for (const [at, { resolve }] of asked.entries()) resolve(states[at] ?? { state: 'open' })
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
  return (question, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<QuestionState>()
    if (pending.length === 0) setImmediate(() => void flush())
    pending.push({ question, signal, resolve, reject })
    return promise
  }
}

const converting = limitConcurrency(maxConversions)

/** Size of the converted images that are kept, bytes: those of about a hundred questions. */
const keptImageBytes = 16 * 2 ** 20

/** Converted images by the checksum of the original: every attempt of a task asks its questions again. */
const convertedImages = new LruByteCache(keptImageBytes)

/** Converts the images of a question to small JPEGs, which every agent can view. */
async function withSmallImages({ question, signal }: Pending): Promise<TaskQuestion> {
  const images = await Promise.all(
    question.images.map((image) => converting(() => toSmallJpeg(image, signal))),
  )
  return { ...question, images }
}

async function toSmallJpeg({ bytes }: QuestionImage, signal: AbortSignal): Promise<QuestionImage> {
  const checksum = createHash('sha256').update(bytes).digest('hex')
  const small =
    convertedImages.get(checksum) ?? (await shrinkImage(bytes, { longestSide: longestImageSide, signal }))
  convertedImages.set(checksum, small)
  return { type: 'image/jpeg', bytes: small }
}

/**
 * A language model that is the agent which created the task. Questions asked in the same turn of the event loop are sent
 * together. If one of them has no answer yet, those without one throw SuspendedError: the attempt ends, and a later one
 * asks the same questions again and reads their answers.
 */
export function createAgentModel(askTask: AskTaskQuestions): LanguageModel {
  const usage = { requests: 0, promptTokens: 0, answerTokens: 0 }
  const rounds = new Map<string, number>()
  const send = sendTogether(askTask)
  let isSuspended = false
  /** Equal questions of an attempt are different rounds. */
  const nextRound = (key: string): number => {
    const round = (rounds.get(key) ?? 0) + 1
    rounds.set(key, round)
    return round
  }

  return {
    name: 'agent',
    remembers: true,
    contextTokens,
    concurrency: maxOpenQuestions,
    usage,
    async ask<I extends QuestionInput, S extends z.ZodObject>(question: ModelQuestion<I, S>) {
      // The attempt ends: what else it asks would exceed the questions that are asked together.
      if (isSuspended) throw new SuspendedError()
      const { kind, instructions, input, images = [], maxTokens, signal } = question
      const round = nextRound(questionId(question, ''))
      const state = await send(
        {
          id: questionId(question, `agent ${round}`),
          ...{ kind: kind.name, instructions, input, images, maxTokens },
        },
        signal,
      )
      if (state.state === 'open') {
        isSuspended = true
        throw new SuspendedError()
      }
      if (state.state === 'unusable') {
        throw new NoUsableAnswer('the agent gave no usable answer to a question', {
          hint: 'Call the tool again, and answer its questions as their schemas require.',
        })
      }
      usage.requests += 1
      usage.promptTokens += estimateTokens(renderInput(input))
      usage.answerTokens += estimateTokens(JSON.stringify(state.answer))
      return kind.schema.parse(state.answer)
    },
    inputTokenBudget: ({ instructions, maxTokens }) =>
      Math.max(0, contextTokens - maxTokens - estimateTokens(instructions)),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

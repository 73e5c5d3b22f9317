import { MediaError } from '../../contract/errors.ts'
import { SuspendedError } from '../../contract/questions.ts'
import type { PictureDescription } from '../../media/image/picture-description.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { isQuestionFailure, type LanguageModel, NoUsableAnswer } from '../language-model/language-model.ts'
import { describeImagesKind, describeInstructions, readDescriptions } from './question.ts'

/**
 * Images of a question in each round: those without a usable description are asked again, alone. The last round has a
 * higher temperature, as the same question has the same answer.
 */
const rounds = [{ images: 4 }, { images: 1 }, { images: 1, temperature: 0.7 }] as const

/** Most tokens of an answer: those of each image, and of the rest. */
const answerTokens = { perImage: 450, more: 100 }

interface DescribeImagesOptions {
  readonly model: LanguageModel
  readonly signal: AbortSignal
  /** Names an image in errors, by its index. */
  readonly nameImage: (index: number) => string
  /** Called with the number of described images. */
  readonly onCount: (count: number) => void
}

/**
 * Describes JPEG images, several per question. Keeps the usable part of each answer and asks for the other images again.
 * Throws SuspendedError if an agent has to answer first, the errors of the model's service, and NoUsableAnswer if an
 * image has no usable description in the end.
 */
export async function describeImages(
  jpegs: readonly Uint8Array[],
  options: DescribeImagesOptions,
): Promise<PictureDescription[]> {
  const { model, signal, nameImage } = options
  const described = new Map<number, PictureDescription>()
  const problems = new Map<number, readonly string[]>()
  let failure: Error | undefined
  for (const round of rounds) {
    const open = [...jpegs.keys()].filter((index) => !described.has(index))
    if (open.length === 0) break
    failure = (await askRound(jpegs, { ...options, ...round, open, described, problems })) ?? failure
    signal.throwIfAborted()
  }
  return jpegs.map((_, index) => {
    const description = described.get(index)
    if (description) return description
    throw failureOf(nameImage(index), model, problems.get(index) ?? failure)
  })
}

interface RoundOptions extends DescribeImagesOptions {
  /** Most images of a question. */
  readonly images: number
  readonly temperature?: number
  /** Indexes of the images to describe. */
  readonly open: readonly number[]
  /** Receives the descriptions by index. */
  readonly described: Map<number, PictureDescription>
  /** Receives what is wrong with the latest answer about the other images, by index. */
  readonly problems: Map<number, readonly string[]>
}

/** Asks about images. Returns the last failure of a question; throws those of the service. */
async function askRound(jpegs: readonly Uint8Array[], round: RoundOptions): Promise<Error | undefined> {
  const { model, signal, temperature, open, described, problems, onCount } = round
  const limited = limitConcurrency(model.concurrency)
  let isDown = false
  const ask = async (indexes: readonly number[]) => {
    // The others would fail too, each after its retries.
    if (isDown) return
    try {
      const answer = await model.ask({
        ...questionAbout(indexes, jpegs),
        ...(temperature !== undefined && { temperature }),
        input: { images: indexes.map((index) => ({ id: index + 1 })) },
        signal,
      })
      const found = readDescriptions(
        indexes.map((index) => index + 1),
        answer,
      )
      for (const [id, description] of found.described) described.set(id - 1, description)
      for (const [id, wrong] of Map.groupBy(found.problems, (problem) => problem.id))
        problems.set(
          id - 1,
          wrong.map(({ what }) => what),
        )
      onCount(described.size)
    } catch (error) {
      isDown ||= !isQuestionFailure(error)
      throw error
    }
  }
  const size = questionSize(model, { jpegs, most: round.images, open })
  const groups = Array.from({ length: Math.ceil(open.length / size) }, (_, at) =>
    open.slice(at * size, (at + 1) * size),
  )
  const settled = await Promise.allSettled(groups.map((indexes) => limited(() => ask(indexes))))
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  const serious =
    failures.find((reason) => reason instanceof SuspendedError) ??
    failures.find((reason) => !isQuestionFailure(reason))
  if (serious !== undefined) throw serious
  return failures.at(-1)
}

function questionAbout(indexes: readonly number[], jpegs: readonly Uint8Array[]) {
  const { perImage, more } = answerTokens
  return {
    kind: describeImagesKind,
    instructions: describeInstructions,
    images: indexes.map((index) => ({
      type: 'image/jpeg' as const,
      bytes: jpegs[index] ?? new Uint8Array(),
    })),
    maxTokens: perImage * indexes.length + more,
  }
}

/** Most images of a question that fit the context of the model with their answer; at least 1. */
function questionSize(
  model: LanguageModel,
  {
    jpegs,
    most,
    open,
  }: { readonly jpegs: readonly Uint8Array[]; readonly most: number; readonly open: readonly number[] },
): number {
  let size = Math.min(most, open.length)
  while (size > 1 && model.inputTokenBudget(questionAbout(open.slice(0, size), jpegs)) < inputTokens)
    size -= 1
  return size
}

/** Tokens of the ids of a question. */
const inputTokens = 60

/** Why an image has no description: what is wrong with the answer about it, else the last failure of a question. */
function failureOf(
  image: string,
  { name }: LanguageModel,
  why: readonly string[] | Error | undefined,
): Error {
  if (why instanceof MediaError) return why.at(image)
  const reason = Array.isArray(why) ? `: ${why.join('; ')}` : ''
  return new NoUsableAnswer(`${image}: ${name} gave no usable description${reason}`, {
    hint: 'Try again, or set a larger model that can view images: "language_model".',
  })
}

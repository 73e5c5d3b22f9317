import type { LanguageModel } from './language-model.ts'

/** Tokens of an item in a question, and of its part of the answer. */
interface ItemTokens {
  readonly prompt: number
  readonly answer: number
}

interface GroupLimits extends ItemTokens {
  /** Most items of a question. */
  readonly items: number
}

/** Groups items into questions that fit a model together with their answers. An item that is too long is alone. */
export function groupByTokens<T>(
  items: readonly T[],
  tokensOf: (item: T) => ItemTokens,
  limits: GroupLimits,
): T[][] {
  const groups: T[][] = []
  let used = { prompt: 0, answer: 0 }
  for (const item of items) {
    const { prompt, answer } = tokensOf(item)
    const last = groups.at(-1)
    const fits = used.prompt + prompt <= limits.prompt && used.answer + answer <= limits.answer
    if (last && fits && last.length < limits.items) {
      last.push(item)
      used = { prompt: used.prompt + prompt, answer: used.answer + answer }
    } else {
      groups.push([item])
      used = { prompt, answer }
    }
  }
  return groups
}

/** Maximum tokens of an answer, from the size of the context. */
export function maxAnswerTokens({ contextTokens }: LanguageModel): number {
  return Math.max(512, Math.min(4096, Math.floor(contextTokens * 0.4)))
}

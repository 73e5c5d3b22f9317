import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../contract/bounded-json.ts'
import { writeDurably } from '../../platform/durable.ts'
import type { LanguageModel } from './language-model.ts'
import { questionId } from './question.ts'

/**
 * Returns a model that stores its answers in a folder, so that a later attempt of a task does not repeat a question.
 * Files are named by a hash of the model and the question. An answer that cannot be stored is returned all the same. A
 * model that remembers its answers is returned unchanged.
 */
export function cacheAnswers(model: LanguageModel, folder: string): LanguageModel {
  if (model.remembers) return model
  return {
    ...model,
    async ask(question) {
      const path = join(folder, `answer-${questionId(question, model.name)}.json`)
      const cached = question.kind.schema.safeParse(parseJson(await readFile(path, 'utf8').catch(() => '')))
      if (cached.success) return cached.data
      const answer = await model.ask(question)
      await store(path, answer)
      return answer
    },
  }
}

/** Stores an answer, if the disk accepts it: without it, only a later attempt repeats the question. */
async function store(path: string, answer: unknown): Promise<void> {
  try {
    await writeDurably(path, JSON.stringify(answer))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}

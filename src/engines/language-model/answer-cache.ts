import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../contract/bounded-json.ts'
import { writeDurably } from '../../platform/durable.ts'
import type { LanguageModel } from './language-model.ts'
import { answerJsonSchema } from './messages.ts'

/**
 * Returns a model that stores its answers in a folder, so that a later attempt of a task does not repeat a question.
 * Files are named by a hash of the model and the question.
 */
export function cacheAnswers(model: LanguageModel, folder: string): LanguageModel {
  return {
    ...model,
    async ask(question) {
      const { schema, signal: _, ...asked } = question
      const key = JSON.stringify([model.name, answerJsonSchema(schema), asked])
      const digest = createHash('sha256').update(key).digest('hex').slice(0, 32)
      const path = join(folder, `answer-${digest}.json`)
      const cached = schema.safeParse(parseJson(await readFile(path, 'utf8').catch(() => '')))
      if (cached.success) return cached.data
      const answer = await model.ask(question)
      await writeDurably(path, JSON.stringify(answer))
      return answer
    },
  }
}

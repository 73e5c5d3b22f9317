import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../platform/text-formats.ts'
import { writeDurably } from '../../platform/durable.ts'
import type { LanguageModel } from './language-model.ts'
import { answerJsonSchema } from './messages.ts'

/**
 * The same model, whose answers are kept in a folder: a question that was answered in an earlier attempt of a task is
 * not asked again. What a question is made of names its answer.
 */
export function cacheAnswers(model: LanguageModel, folder: string): LanguageModel {
  return {
    ...model,
    async ask(question) {
      const { schema, signal: _, ...asked } = question
      const madeOf = JSON.stringify([model.name, answerJsonSchema(schema), asked])
      const digest = createHash('sha256').update(madeOf).digest('hex').slice(0, 32)
      const path = join(folder, `answer-${digest}.json`)
      const kept = schema.safeParse(parseJson(await readFile(path, 'utf8').catch(() => '')))
      if (kept.success) return kept.data
      const answer = await model.ask(question)
      await writeDurably(path, JSON.stringify(answer))
      return answer
    },
  }
}

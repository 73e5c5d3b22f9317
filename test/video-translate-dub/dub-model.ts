import type { LanguageModelService } from '../../src/engines/services/services.ts'
import type { ChatBody, ModelServer } from '../engines/language-model/model-server.ts'
import { type RecordingLanguage, sentenceTables } from '../recordings/sentences.ts'
import { seededRandom } from '../service/kill-rounds.ts'

/** A line of a question, to translate or to rewrite. */
interface AskedLine {
  readonly id: number
  readonly text: string
  readonly characters?: number
  readonly change?: 'shorter' | 'longer'
}

/** What a question about the lines of a dub contains. */
export interface DubQuestion {
  /** Language of the dub. */
  readonly to?: RecordingLanguage
  readonly lines?: readonly AskedLine[]
}

export interface DubModelOptions {
  /** How far the lengths of translations are from the requested ones, 0 to 1. Default: 0.25. */
  readonly spread?: number
  /** Factor of the lengths of translations. Default: 1. */
  readonly factor?: number
  /** Other translations for another number. Default: 0. */
  readonly seed?: number
}

/** Returns the answers of a model that translates lines into speech of about the requested length, and rewrites them. */
export function dubAnswers({ spread = 0.25, factor = 1, seed = 0 }: DubModelOptions = {}): (
  question: DubQuestion,
) => unknown {
  return ({ lines, to = 'en-US' }) => {
    // A summary is asked for before the lines of a long recording.
    if (lines?.every((line) => typeof line === 'object') !== true) return { summary: 'A talk.', terms: [] }
    return {
      lines: lines.map(({ id, text, characters = text.length, change }) => {
        const random = seededRandom(id)
        const scale = change === undefined ? factor * (1 + spread * (2 * random() - 1)) : 1
        const letters = Math.max(1, Math.round(characters * scale))
        const begins = text.split(/\s+/).slice(0, 2).join(' ')
        // A dialogue that is repeated has other translations each time.
        const first = id + Math.floor(id / 12) + seed
        return { id, begins, text: textOfLength(to, letters, first) }
      }),
    }
  }
}

/** Returns words of the sentences of a language with about so many characters; exactly so many without spaces. */
export function textOfLength(language: RecordingLanguage, characters: number, first = 0): string {
  const { sentences, space } = sentenceTables[language]
  const words: string[] = []
  for (let index = first; words.join(space).length < characters; index += 1)
    words.push(...(sentences[index % sentences.length] ?? []).map(({ text }) => text))
  if (space === '') return `${words.join('').slice(0, Math.max(1, characters - 1))}。`
  while (words.length > 1 && words.join(space).length > characters) words.pop()
  return `${words.join(space)}.`
}

/** Returns what a question of a chat contains. */
export function dubQuestion({ messages }: ChatBody): DubQuestion {
  const content = messages.find(({ role }) => role === 'user')?.content
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
  return JSON.parse(text.slice(text.indexOf('{'))) as DubQuestion
}

/** A model that answers the questions about the lines of a dub. */
export function dubModel(options: DubModelOptions = {}): ModelServer['says'] {
  const answers = dubAnswers(options)
  return (body) => answers(dubQuestion(body))
}

/** Settings of a service that asks a model one question at a time. */
export function dubModelService({ origin }: ModelServer): LanguageModelService {
  return { address: `${origin}/v1`, model: 'small', context_tokens: 8192, concurrency: 1 }
}

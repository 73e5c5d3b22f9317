import type { LanguageModelService } from '../../src/engines/services/services.ts'
import type { ChatBody, ModelServer } from '../engines/language-model/model-server.ts'
import { hangs } from '../engines/services/fake-service.ts'
import { correctAnswer, isTranslation, requestedLines } from '../subtitle-translate/translator.ts'

/** A numbered part of a transcript. */
type Part = readonly [number: number, seconds: number, text: string]

/** What a question about clips contains. */
interface ClipInput {
  readonly parts?: readonly Part[]
  readonly clips?: readonly { readonly id: number; readonly text: string }[]
  readonly min_seconds?: number
}

/** Kinds of questions about clips, by what they contain. */
export type ClipQuestion = 'select_highlights' | 'rank_clips' | 'describe_clip'

/** Words of the passages that the model finds worth a clip. */
const highlights = /doctor|Lisbon|sun came up|boarding pass|trick|same minute|hunger|collapse/i

/** Returns what a question of a chat contains. */
export function clipInput({ messages }: ChatBody): ClipInput {
  const content = messages.find(({ role }) => role === 'user')?.content
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
  return JSON.parse(text.slice(text.indexOf('{'))) as ClipInput
}

/** The kind of a question. */
export function clipQuestion({ clips, min_seconds }: ClipInput): ClipQuestion {
  if (clips) return 'rank_clips'
  return min_seconds === undefined ? 'describe_clip' : 'select_highlights'
}

/** Answers a question about clips correctly: runs of parts with the words of highlights. */
export function answerAboutClips(input: ClipInput): unknown {
  const kind = clipQuestion(input)
  if (kind === 'rank_clips') return { clips: (input.clips ?? []).map(({ id }) => ({ id, score: 9 - id })) }
  const parts = input.parts ?? []
  if (kind === 'describe_clip') {
    const text = parts.map(([, , said]) => said).join(' ')
    const isTrick = /trick/i.test(text)
    return {
      title: isTrick ? 'The trick that ended my bad sleep' : 'Six months to live',
      summary: 'A story in a few sentences.',
      tags: ['story', 'life', 'story'],
      score_reason: 'It makes one point.',
      highlight_words: isTrick ? ['trick', 'same minute'] : ['doctor', 'Lisbon'],
      ...{ genres: ['talk'], moods: ['calm'], themes: ['life'] },
      skip: [],
    }
  }
  const clips: { first: number; last: number; score: number }[] = []
  for (const [number, , text] of parts) {
    const last = clips.at(-1)
    if (!highlights.test(text)) continue
    if (last && last.last === number - 1) last.last = number
    else clips.push({ first: number, last: number, score: 8 })
  }
  return { clips }
}

/** A model that answers correctly. */
export const clipModel: ModelServer['says'] = (body) => answerAboutClips(clipInput(body))

/** A model that also translates the captions of clips. `translate`: by default into what tests can predict. */
export function translatingClipModel(translate?: (text: string) => string): ModelServer['says'] {
  return (body, heard) => {
    const lines = isTranslation(body) ? requestedLines(body) : undefined
    return lines ? { lines: correctAnswer(lines, translate) } : clipModel(body, heard)
  }
}

/** Settings of a service that asks a model one question at a time. */
export function modelService({ origin }: ModelServer): LanguageModelService {
  return { address: `${origin}/v1`, model: 'small', context_tokens: 8192, concurrency: 1 }
}

/** Lets a model answer so many questions, and not the next one. Returns when that arrives; later ones are answered. */
export async function hangModelAfter(server: ModelServer, answers: number): Promise<void> {
  const { says } = server
  const wanted = server.asked.length + answers + 1
  const reached = Promise.withResolvers<undefined>()
  server.says = (body, request) => {
    if (server.asked.length < wanted) return says(body, request)
    server.says = says
    reached.resolve(undefined)
    return hangs()
  }
  await reached.promise
}

import * as z from 'zod'
import { list } from './bounded-list.ts'

/** Most words and sentences of a transcript in a request: more than ten hours of fast speech. */
export const maxSttWords = 200_000
export const maxSttSentences = 50_000

/** Longest text of an entry, characters. */
const maxWordLength = 200
const maxSentenceLength = 5000

/** Latest time of a transcript, seconds: 100 hours. */
const maxSttSeconds = 360_000

/** Tolerance of the order of entries, seconds: recognisers let words overlap by a few frames. */
export const sttTolerance = 0.25

const seconds = z.number().min(0).max(maxSttSeconds).describe('Seconds')

const times = { start_time: seconds, end_time: seconds }

const sttWord = z
  .object({ text: z.string().max(maxWordLength).describe('Word or character'), ...times })
  .superRefine(checkSpan)

const sttSentence = z
  .object({
    text: z.string().max(maxSentenceLength),
    ...times,
    speaker: z.string().max(maxWordLength).optional(),
  })
  .superRefine(checkSpan)

/**
 * A transcript in a request (contract 3, 2.4), times in seconds. Entries are in the order of their starts and none ends
 * before it starts; issues name the entry.
 */
export const stt = z.object({
  word_tc_list: list(sttWord)
    .max(maxSttWords)
    .superRefine(checkOrder)
    .describe('Words, Chinese and Japanese as characters, in order'),
  sentence_tc_list: list(sttSentence)
    .max(maxSttSentences)
    .superRefine(checkOrder)
    .describe('Sentences in order; no sentences, no clips'),
})
export type Stt = z.output<typeof stt>

interface Times {
  readonly start_time: number
  readonly end_time: number
}

function checkSpan({ start_time, end_time }: Times, context: z.RefinementCtx): void {
  if (end_time >= start_time) return
  context.addIssue({
    code: 'custom',
    path: ['end_time'],
    message: `is before start_time, ${end_time} < ${start_time}`,
  })
}

/** Reports the first entry that starts before the one before it. */
function checkOrder(entries: readonly Times[], context: z.RefinementCtx): void {
  let latest = Number.NEGATIVE_INFINITY
  for (const [index, { start_time }] of entries.entries()) {
    if (start_time < latest - sttTolerance) {
      context.addIssue({
        code: 'custom',
        path: [index, 'start_time'],
        message: `starts before the previous entry, ${start_time} < ${latest}`,
        params: { fix: 'Sort the entries by start_time.' },
      })
      return
    }
    latest = Math.max(latest, start_time)
  }
}

import { describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../src/engines/language-model/language-model.ts'
import { selectClips } from '../../src/engines/shorts/select-clips.ts'
import { lengthBounds } from '../../src/media/shorts/clip-lengths.ts'
import { type ClipUnit, clipUnits } from '../../src/media/shorts/clip-units.ts'
import { rankUnits } from '../../src/media/shorts/rank-units.ts'
import type { ClipCandidate } from '../../src/media/shorts/choose-clips.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { type LongTalk, type TalkLanguage, writeLongTalk } from './long-talk.ts'

const seconds = 64 * 60
const bounds = lengthBounds('auto', 600)
const { signal } = new AbortController()

/** Share of the highlights of which a clip contains at least half. */
function recall(
  clips: readonly ClipCandidate[],
  units: readonly ClipUnit[],
  { highlights }: LongTalk,
): number {
  const spans = clips.map(({ units: { from, to } }) => ({
    start: units[from]?.start ?? 0,
    end: units[to - 1]?.end ?? 0,
  }))
  const found = highlights.filter(({ start, end }) =>
    spans.some((span) => Math.min(span.end, end) - Math.max(span.start, start) >= (end - start) / 2),
  )
  return found.length / highlights.length
}

/** Standard normal numbers (Box and Muller 1958). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A model whose scores correlate by 0.7 with the share of a passage that is a highlight. */
function noisyModel(
  units: readonly ClipUnit[],
  { highlights }: LongTalk,
  random: () => number,
): LanguageModel {
  const share = ({ start, end }: { readonly start: number; readonly end: number }) =>
    highlights.reduce(
      (sum, one) => sum + Math.max(0, Math.min(one.end, end) - Math.max(one.start, start)),
      0,
    ) /
    (end - start)
  const noisy = (truth: number) => Math.min(10, Math.max(0, 2 + 6 * truth + 1.5 * normal(random)))
  return {
    ...{ name: 'noisy', remembers: true, contextTokens: 16_384, concurrency: 2 },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    inputTokenBudget: () => 12_000,
    [Symbol.asyncDispose]: async () => undefined,
    async ask({ kind, input }) {
      const answer = kind.name === 'select_highlights' ? named(input['parts']) : scored(input['clips'])
      return kind.schema.parse(answer)
    },
  }
  function named(parts: unknown) {
    const numbers = (parts as readonly (readonly [number])[]).map(([number]) => number)
    const passages = numbers
      .flatMap((first, index) =>
        [2, 3, 4].flatMap((length) => {
          const last = numbers[index + length - 1]
          if (last === undefined) return []
          const span = { start: units[first]?.start ?? 0, end: units[last]?.end ?? 0 }
          return [{ first, last, score: noisy(share(span)) }]
        }),
      )
      .toSorted((one, other) => other.score - one.score)
    const clips: typeof passages = []
    for (const passage of passages) {
      const isFree = clips.every(({ first, last }) => passage.last < first || passage.first > last)
      if (isFree && clips.length < 10) clips.push(passage)
    }
    return { clips }
  }
  function scored(clips: unknown) {
    const texts = clips as readonly { readonly id: number; readonly text: string }[]
    return {
      clips: texts.map(({ id, text }) => {
        const unit = units.find(({ text: own }) => text.startsWith(own.slice(0, 20)))
        return { id, score: noisy(unit ? share({ start: unit.start, end: unit.start + 20 }) : 0) }
      }),
    }
  }
}

describe.each(['en', 'zh'] satisfies TalkLanguage[])(
  '64 minutes with a highlight in each tenth: %s',
  (language) => {
    const talks = [1, 2, 3, 4, 5].map((seed) => {
      const random = seededRandom(seed)
      const talk = writeLongTalk(language, seconds, random)
      const units = clipUnits(talk.transcript)
      return { talk, units, ranks: rankUnits(units, { language }), random }
    })

    it('finds at least half of the highlights without a model', async () => {
      const recalls = await Promise.all(
        talks.map(async ({ talk, units, ranks }) => {
          const { clips, degraded } = await selectClips(units, {
            ...{ model: undefined, signal, topic: undefined, bounds, ranks, onShare: () => undefined },
          })
          expect(degraded).toBeDefined()
          return recall(clips, units, talk)
        }),
      )
      expect(Math.min(...recalls)).toBeGreaterThanOrEqual(0.5)
    })

    it('finds at least 0.8 of the highlights with a model whose scores are noisy', async () => {
      const recalls = await Promise.all(
        talks.map(async ({ talk, units, ranks, random }) => {
          const model = noisyModel(units, talk, random)
          const { clips, degraded } = await selectClips(units, {
            ...{ model, signal, topic: undefined, bounds, ranks, onShare: () => undefined },
          })
          expect(degraded).toBeUndefined()
          return recall(clips, units, talk)
        }),
      )
      expect(Math.min(...recalls)).toBeGreaterThanOrEqual(0.8)
    })
  },
)

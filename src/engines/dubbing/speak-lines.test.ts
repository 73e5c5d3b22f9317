import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { DubLine } from '../../media/dubbing/dub-lines.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import type { SpokenSentence } from '../voice/synthesize.ts'
import type { LineVoice } from './line-voice.ts'
import { speakLines } from './speak-lines.ts'

const { signal } = new AbortController()
const rate = 1000

/** A tone as long as 50 ms for each letter. */
const speechOf = (text: string): SpokenSentence => ({
  ...{ text, rate },
  samples: new Float32Array(50 * text.length).fill(0.5),
})

interface VoiceOptions {
  readonly concurrency?: number
  readonly speak?: LineVoice['speak']
}

/** A voice, and the texts that it has spoken. */
function voiceWith({ concurrency = 1, speak = async (text) => speechOf(text) }: VoiceOptions = {}) {
  const texts: string[] = []
  const voice: LineVoice = {
    ...{ name: 'tones', concurrency },
    async speak(text, options) {
      texts.push(text)
      return await speak(text, options)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { voice, texts }
}

/** What a voice responds to a text that it never speaks. */
const refused = new MediaError(6401, 'the voice refuses it', { retryable: false })

/** Lines of two seconds, one second apart. */
const linesOf = (texts: readonly string[]): DubLine[] =>
  texts.map((text, index) => ({ index, speaker: 0, text, start: 3000 * index, end: 3000 * index + 2000 }))

const fit = { band: [0.95, 1.15], duration: 60_000 } as const
const asked = z.object({ lines: z.array(z.object({ id: z.int(), characters: z.int(), change: z.string() })) })

/** A model that rewrites lines to these texts, by their index. */
function modelOf(rewritings: ReadonlyMap<number, string>) {
  const questions: z.infer<typeof asked>['lines'][] = []
  const model: LanguageModel = {
    ...{ name: 'small', remembers: false, contextTokens: 8192, concurrency: 1 },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    async ask({ kind: { schema }, input }) {
      const { lines } = asked.parse(input)
      questions.push(lines)
      return schema.parse({ lines: lines.map(({ id }) => ({ id, text: rewritings.get(id - 1) ?? '' })) })
    },
    inputTokenBudget: () => 4000,
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { model, questions }
}

const letters = (count: number) =>
  'word '
    .repeat(count)
    .slice(0, count - 1)
    .trim()
    .padEnd(count, 'x')

describe('lines', () => {
  it('are spoken as many at once as the voice accepts, in order', async () => {
    let [running, most] = [0, 0]
    const { voice } = voiceWith({
      concurrency: 3,
      async speak(text) {
        most = Math.max(most, (running += 1))
        await new Promise(setImmediate)
        running -= 1
        return speechOf(text)
      },
    })
    const texts = Array.from({ length: 10 }, (_, index) => letters(30 + index))
    const shares: number[] = []
    const spoken = await speakLines(linesOf(texts), texts, {
      ...{ voice, fit, signal },
      onShare: (share) => shares.push(share),
    })
    expect(most).toBe(3)
    expect(spoken.map(({ text, synth }) => [text, synth])).toEqual(
      texts.map((text) => [text, 50 * text.length]),
    )
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  })

  it('without a text stay silent', async () => {
    const { voice, texts } = voiceWith()
    const options = { voice, fit, signal, onShare: () => undefined }
    const spoken = await speakLines(linesOf(['a', 'b']), [letters(40), ''], options)
    expect(spoken.map(({ synth }) => synth)).toEqual([2000, 0])
    expect(texts).toHaveLength(1)
  })

  it('of which the voice refuses one are silent there', async () => {
    const { voice, texts } = voiceWith({
      async speak(text) {
        if (text === 'b') throw refused
        return speechOf(text)
      },
    })
    const all = ['a', 'b', 'c', 'd']
    const spoken = await speakLines(linesOf(all), all, { voice, fit, signal, onShare: () => undefined })
    expect(spoken.map(({ text, synth, refusal }) => [text, synth, refusal])).toEqual([
      ['a', 50, undefined],
      ['b', 0, 'the voice refuses it'],
      ...['c', 'd'].map((text) => [text, 50, undefined]),
    ])
    expect(texts).toEqual(all)
  })

  const failAt = async (failing: readonly number[], count: number, { error = refused, silent = 0 } = {}) => {
    const all = Array.from({ length: count }, (_, index) => (index < silent ? '' : `line ${index}`))
    const { voice, texts } = voiceWith({
      concurrency: 2,
      speak: (text, options) =>
        new Promise((resolve, reject) => {
          options.signal.addEventListener('abort', () => reject(options.signal.reason as Error))
          if (failing.some((index) => text === all[index])) reject(error)
          else resolve(speechOf(text))
        }),
    })
    await expect(
      speakLines(linesOf(all), all, { voice, fit, signal, onShare: () => undefined }),
    ).rejects.toBe(error)
    return texts.length
  }

  it('of which more than a tenth are silent, or three in succession refused, end the others', async () => {
    expect(await failAt([1, 3], 10)).toBeLessThan(7)
    expect(await failAt([40, 41, 42], 60)).toBeLessThan(46)
    expect(await failAt([0], 1)).toBe(1)
    // An untranslated line is silent, too.
    expect(await failAt([5], 10, { silent: 1 })).toBeLessThan(9)
  })

  it('end with the first failure of the voice that is no refusal, so that the next attempt continues', async () => {
    const error = new MediaError(6402, 'the voice does not respond')
    expect(await failAt([58], 60, { error })).toBe(60)
    expect(await failAt([4], 60, { error })).toBeLessThan(10)
  })

  it('end with their task', async () => {
    const stop = new AbortController()
    const { voice } = voiceWith({
      speak: (_, options) =>
        new Promise((_resolve, reject) => {
          options.signal.addEventListener('abort', () => reject(options.signal.reason as Error))
          stop.abort(new Error('stopped'))
        }),
    })
    const all = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const options = { voice, fit, signal: stop.signal, onShare: () => undefined }
    await expect(speakLines(linesOf(all), all, options)).rejects.toThrow('stopped')
  })
})

describe('a rewriting', () => {
  const rewriter = (model: LanguageModel) => ({ model, pair: { from: 'zh-CN', to: 'en-US' } })
  // Long, fitting and short for two seconds, with a long pause after each.
  const texts = [letters(80), letters(40), letters(12)]

  it('is used if its speech is nearer to the time of the line', async () => {
    const { model, questions } = modelOf(
      new Map([
        [0, letters(50)],
        [2, letters(36)],
      ]),
    )
    const { voice } = voiceWith()
    const spoken = await speakLines(linesOf(texts), texts, {
      ...{ voice, fit, signal, rewriter: rewriter(model), onShare: () => undefined },
    })
    expect(spoken.map(({ text, rewriteRounds }) => [text.length, rewriteRounds])).toEqual([
      [50, 1],
      [40, 0],
      [36, 1],
    ])
    expect(questions[0]?.map(({ id, change }) => [id, change])).toEqual([
      [1, 'shorter'],
      [3, 'longer'],
    ])
  })

  it('is not used if its speech is further from it', async () => {
    const slow = letters(60)
    const { voice } = voiceWith({
      // A shorter text that takes longer.
      speak: async (text) => (text === slow ? { ...speechOf(letters(90)), text } : speechOf(text)),
    })
    const { model, questions } = modelOf(new Map([[0, slow]]))
    const spoken = await speakLines(linesOf(texts.slice(0, 2)), texts, {
      ...{ voice, fit, signal, rewriter: rewriter(model), onShare: () => undefined },
    })
    expect(spoken.map(({ text, rewriteRounds }) => [text, rewriteRounds])).toEqual([
      [texts[0], 0],
      [texts[1], 0],
    ])
    expect(questions).toHaveLength(2)
  })

  it.each([
    ['is silent', { ...speechOf(letters(40)), samples: new Float32Array(2000) }],
    ['loses words', { ...speechOf(letters(40)), lostShare: 0.5 }],
    ['cannot be spoken', new MediaError(6401, 'the voice returned silence')],
    ['has other words', { ...speechOf(letters(40)), addedShare: 0.5 }],
  ])('is not used if it %s', async (_, speech) => {
    const { voice } = voiceWith({
      async speak(text) {
        if (text !== letters(40)) return speechOf(text)
        if (speech instanceof Error) throw speech
        return speech
      },
    })
    const { model } = modelOf(new Map([[0, letters(40)]]))
    const [spoken] = await speakLines(linesOf(texts.slice(0, 1)), texts, {
      ...{ voice, fit, signal, rewriter: rewriter(model), onShare: () => undefined },
    })
    expect(spoken).toMatchObject({ text: texts[0], rewriteRounds: 0, synth: 4000 })
  })
})

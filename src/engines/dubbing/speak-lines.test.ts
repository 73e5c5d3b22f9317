import { expect, it } from 'vitest'
import { MediaError } from '../../contract/errors.ts'
import type { LanguageModel } from '../language-model/language-model.ts'
import type { LineVoice } from './line-voice.ts'
import { speakLines } from './speak-lines.ts'

const { signal } = new AbortController()
const rate = 16_000

/** Sound of a length in seconds; silence has no level. */
const sound = (seconds: number, level: number) => ({
  samples: Float32Array.from({ length: seconds * rate }, (_, at) => level * Math.sin(at / 9)),
  rate,
})

/** A model that answers each question with this line. */
function rewriter(text: string): LanguageModel {
  return {
    ...{ name: 'rewriter', remembers: false, contextTokens: 8192, concurrency: 1 },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    ask: async ({ kind }) => kind.schema.parse({ lines: [{ id: 1, text }] }),
    inputTokenBudget: () => 4096,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const [long, short] = ['this line is far too long for the time that it has', 'this line is long enough']

/** Speaks a line of 2 s whose translation takes 6 s, and returns it after its rewriting. */
async function rewritten(speech: Awaited<ReturnType<LineVoice['speak']>> | Error) {
  const voice: LineVoice = {
    name: 'voice',
    async speak(text) {
      if (text === long) return { text, ...sound(6, 0.2) }
      if (speech instanceof Error) throw speech
      return speech
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  const line = { index: 0, speaker: 0, text: 'Diese Zeile ist zu lang.', start: 0, end: 2000 }
  const [spoken] = await speakLines([line], [long], {
    ...{ voice, signal, fit: { band: [0.95, 1.15], duration: 2000 }, onShare: () => undefined },
    rewriter: { model: rewriter(short), pair: { from: 'de-DE', to: 'en-US' } },
  })
  return spoken
}

it('uses a rewriting whose speech is nearer to the time of the line', async () => {
  const spoken = await rewritten({ text: short, ...sound(3, 0.2) })
  expect(spoken).toMatchObject({ text: short, rewriteRounds: 1 })
})

it.each([
  ['is silent', { text: short, ...sound(2, 0) }],
  ['loses words', { text: short, ...sound(2, 0.2), lostShare: 0.5 }],
  ['cannot be spoken', new MediaError(6401, 'voice returned silence')],
  ['has other words', { text: short, ...sound(2, 0.2), addedShare: 0.5 }],
])('keeps a line whose rewriting %s', async (_, speech) => {
  expect(await rewritten(speech)).toMatchObject({ text: long, rewriteRounds: 0, synth: 6000 })
})

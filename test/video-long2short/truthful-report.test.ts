import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../src/engines/language-model/language-model.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { describeClips } from '../../src/engines/shorts/describe-clips.ts'
import { selectClips } from '../../src/engines/shorts/select-clips.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, setModel, startModelServer } from '../engines/language-model/model-server.ts'
import { useNoPacks } from '../engines/vision/test-packs.ts'
import { wordOf } from '../shorts/numbered-words.ts'
import { runShorts, writeMuteTalk } from './run-shorts.ts'
import { answerAboutClips, clipInput, clipQuestion } from './shorts-model.ts'

// What a report counts and notes: passages that became no clip, units that were cut off, and errors that are bugs.

/** A transcript of numbered sentences of 6 s each, without a word in common. */
function sttOf(count: number, textOf = (index: number) => sentence(index)) {
  const sentences = Array.from({ length: count }, (_, index) => ({
    ...{ text: textOf(index), start_time: 6 * index, end_time: 6 * index + 5.5 },
  }))
  return {
    sentence_tc_list: sentences,
    word_tc_list: sentences.flatMap(({ text, start_time }) =>
      text.split(' ').map((word, at, all) => {
        const [start, end] = [
          start_time + (5.5 * at) / all.length,
          start_time + (5.5 * (at + 1)) / all.length,
        ]
        return { text: word, start_time: start, end_time: end }
      }),
    ),
  }
}

/** A sentence of eight words that no other one has. */
function sentence(index: number): string {
  return `${Array.from({ length: 8 }, (_, at) => wordOf(8 * index + at)).join(' ')}.`
}

const folder = await scratchFolder()
const seconds = 300
let video = ''
let server: ModelServer
/** Passages that the model names: first and last sentence. */
let named: readonly (readonly [number, number])[] = []

beforeAll(async () => {
  useNoPacks(join(folder, 'packs'))
  video = await writeMuteTalk(folder, { seconds, rate: { num: 5, den: 1 } })
  server = await startModelServer((body) => {
    const input = clipInput(body)
    if (clipQuestion(input) !== 'select_highlights') return answerAboutClips(input)
    return { clips: named.map(([first, last], index) => ({ first, last, score: 9 - index / 10 })) }
  })
})
beforeEach(() => setModel(server))
afterAll(async () => {
  configureServices({})
  await server[Symbol.asyncDispose]()
})

const shorts = (changes: object) => runShorts(video, { outputs: ['report'], ...changes }, { folder })

describe('passages that the model named', () => {
  it('and that are beyond the limit of clips are counted in notes', async () => {
    named = [0, 8, 16, 24, 32, 40].map((first) => [first, first + 4])
    const { output } = await shorts({ stt: sttOf(48) })
    expect(output.clips).toHaveLength(2)
    expect(output.notes).toEqual([
      '4 more passages that the language model named are not clips: a video of this length has at most 2, one for each 180 s',
    ])
  })

  it('have no note if all are clips', async () => {
    named = [
      [0, 4],
      [24, 28],
    ]
    const { output } = await shorts({ stt: sttOf(48) })
    expect(output.clips).toHaveLength(2)
    expect(output.notes).toBeUndefined()
  })
})

it('sentences that are cut off at the end of a clip that is too long do not count, and are not described', async () => {
  // The last sentence is said again after the clip, so that the recording without retakes is shorter than the clip.
  const texts = (index: number) => sentence(index === 6 ? 5 : index)
  named = [[0, 5]]
  server.asked.length = 0
  const { output } = await shorts({ stt: sttOf(48, texts), duration: { pref: 'short', max_clip_sec: 30 } })
  const [clip] = output.clips
  const said = Array.from({ length: 6 }, (_, index) => texts(index)).filter((text) =>
    clip?.text.includes(text),
  )
  expect(said.length).toBeLessThan(6)
  expect(output.report.selected_count).toBe(said.length)
  const described = server.asked.map(clipInput).filter((input) => clipQuestion(input) === 'describe_clip')
  expect(described.at(-1)?.parts?.map(([, , text]) => text)).toEqual(said)
})

describe('a bug in a model', () => {
  const units = Array.from({ length: 20 }, (_, index) => ({
    ...{
      text: sentence(index),
      start: 6 * index,
      end: 6 * index + 5.5,
      first: 8 * index,
      last: 8 * index + 7,
    },
  }))
  const broken = (answers: object): LanguageModel => ({
    ...{ name: 'broken', remembers: true, contextTokens: 16_384, concurrency: 2 },
    usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    inputTokenBudget: () => 12_000,
    [Symbol.asyncDispose]: async () => undefined,
    async ask({ kind }) {
      if (kind.name in answers) return kind.schema.parse((answers as Record<string, unknown>)[kind.name])
      throw new TypeError('undefined is not a function')
    },
  })
  const { signal } = new AbortController()
  const options = {
    ...{ signal, topic: undefined, bounds: { min: 15, max: 60 } },
    ...{ ranks: units.map(() => 0), onShare: () => undefined },
  }

  it('is unlike a passage that fits no length, which is counted in notes', async () => {
    const lengths = [5.5, 5.5, 1, 5.5, 5.5, 5.5, 5.5]
    let now = 0
    const uneven = lengths.map((length, index) => {
      const start = now
      now += length + 0.5
      return { text: sentence(index), start, end: start + length, first: 8 * index, last: 8 * index + 7 }
    })
    const clips = [
      { first: 0, last: 0, score: 8 },
      { first: 2, last: 2, score: 7 },
      // Too poor for a clip of any length.
      { first: 2, last: 3, score: 4.9 },
    ]
    const model = broken({ select_highlights: { clips } })
    const bounds = { min: 3.5, max: 6.9 }
    const { notes } = await selectClips(uneven, { ...options, model, bounds, ranks: lengths.map(() => 0) })
    expect(notes).toEqual([
      '1 passage that the language model named is no clip: it could not be cut to a length of 4 to 7 s',
    ])
  })

  it('fails the selection', async () => {
    await expect(selectClips(units, { ...options, model: broken({}) })).rejects.toThrow(TypeError)
  })

  it('fails the comparison', async () => {
    const clips = [
      { first: 0, last: 4, score: 8 },
      { first: 10, last: 14, score: 7 },
    ]
    const model = broken({ select_highlights: { clips } })
    await expect(selectClips(units, { ...options, model })).rejects.toThrow(TypeError)
  })

  it('fails the description', async () => {
    const clip = { units: { from: 0, to: 4 }, score: 5 }
    await expect(
      describeClips([clip], units, { model: broken({}), signal, outputLanguage: 'en-US' }),
    ).rejects.toThrow(TypeError)
  })
})

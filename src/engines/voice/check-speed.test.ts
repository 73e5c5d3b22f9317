import { expect, test } from 'vitest'
import { MediaError } from '../../contract/errors.ts'
import type { Utterance, VoiceCloner } from '../speech/speech-engines.ts'
import { speechLength } from '../../media/speech/sentences.ts'
import { speedNotes } from './check-speed.ts'

const rate = 16_000
const { signal } = new AbortController()

/** Continuous sound. */
function tone(seconds: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, at) => Math.sin(at / 7) / 2)
}

/** Seconds of a text at a number of letters per second. */
const secondsOf = (text: string, lettersPerSecond: number) => speechLength(text) / lettersPerSecond

const sentences = ['We were on the way to the station.', 'It was late.']
const referenceText = 'Nobody had said that it would rain.'

interface SpokenAt {
  /** Letters per second of the reference, and of the voice at speed 1. */
  readonly reference?: number
  readonly voice?: number
  /** Speed that the voice really has, for a requested one. */
  readonly reached: (speed: number) => number
  readonly lostShare?: number
}

/** Speaks the sentences at a speed, and returns the notes and how often the voice was asked again. */
async function spoken(speed: number, { reference = 14, voice = 14, reached, lostShare }: SpokenAt) {
  const again: Utterance[] = []
  const cloner: VoiceCloner = {
    ...{ name: 'fake', languages: ['en-US'] },
    async speak(utterance) {
      again.push(utterance)
      return { samples: tone(secondsOf(utterance.text, voice) / reached(utterance.speed)), rate }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  let end = 0
  const placed = sentences.map((text) => {
    const start = end
    end += (secondsOf(text, voice) * (1 - (lostShare ?? 0))) / reached(speed)
    return { text, start, end }
  })
  const notes = await speedNotes(
    {
      ...{ path: '', rate, seconds: end, placed },
      sentencesWithAdditions: [],
      sentencesWithLosses: lostShare === undefined ? [] : sentences.map((text) => ({ text, lostShare })),
    },
    {
      ...{ cloner, language: 'en-US', speed, signal },
      reference: {
        ...{ samples: tone(secondsOf(referenceText, reference)), rate },
        ...{ text: referenceText, language: 'en-US' },
      },
    },
  )
  return { notes, again: again.map(({ text, speed: at }) => [text, at]) }
}

const ignored = () => 1
const kept = (speed: number) => speed

test.each([1.25, 1.5, 2, 0.8, 0.5])('speed %s that the voice ignores is reported', async (speed) => {
  const { notes, again } = await spoken(speed, { reached: ignored })
  expect(notes).toEqual([
    `speed ${speed} had no effect: the same sentence at speed 1 is 1.00 times as long. fake may not support speed; ` +
      'change the tempo of the file instead',
  ])
  expect(again).toEqual([[sentences[0], 1]])
})

test.each([1.5, 2, 0.7, 0.5])('speed %s as the reference shows it needs no further speech', async (speed) => {
  expect(await spoken(speed, { reached: kept })).toEqual({ notes: [], again: [] })
})

test('a voice that is faster or slower than its reference is compared with itself', async () => {
  for (const voice of [8, 18]) {
    expect(await spoken(1.5, { voice, reached: kept })).toEqual({ notes: [], again: [[sentences[0], 1]] })
    expect((await spoken(1.5, { voice, reached: ignored })).notes).toHaveLength(1)
  }
})

test.each([1.25, 0.8])('speed %s, which voices have without it, needs further speech', async (speed) => {
  expect(await spoken(speed, { reached: kept })).toEqual({ notes: [], again: [[sentences[0], 1]] })
})

test('words that were not recognised do not count', async () => {
  expect(await spoken(1.5, { lostShare: 0.5, reached: kept })).toEqual({ notes: [], again: [] })
  expect((await spoken(1.5, { lostShare: 0.5, reached: ignored })).notes).toHaveLength(1)
  expect((await spoken(2, { lostShare: 0.5, reached: ignored })).notes).toHaveLength(1)
})

test('a part of the requested change is enough', async () => {
  expect((await spoken(2, { reached: (speed) => speed ** 0.5 })).notes).toEqual([])
  expect((await spoken(2, { reached: (speed) => speed ** 0.2 })).notes).toHaveLength(1)
})

test.each([1, 1.05, 0.95])('speed %s is not checked', async (speed) => {
  expect(await spoken(speed, { voice: 30, reached: ignored })).toEqual({ notes: [], again: [] })
})

test('there is no note if the sentence cannot be spoken again', async () => {
  const reached = (speed: number) => {
    if (speed === 1) throw new MediaError(6402, 'fake is busy')
    return 1
  }
  expect((await spoken(1.5, { reached })).notes).toEqual([])
})

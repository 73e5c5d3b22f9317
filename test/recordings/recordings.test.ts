import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'
import { assemble, keptPassages, type RecordingTruth } from './assemble.ts'
import { readFrameNumbers, spansOfFrames, writeRecording } from './frame-marks.ts'
import { writeScript } from './script.ts'
import { recordingLanguages, sentenceTables } from './sentences.ts'
import { canSpeak } from './speak.ts'

const spokenLetters = (text: string) => text.replaceAll(/[\P{L}]/gu, '')

describe.each(recordingLanguages)('a script in %s', (language) => {
  it('is the same for a seed, and its good takes are the script', () => {
    for (const seed of [1, 2, 3]) {
      const script = writeScript({ language, seed, pickups: 2 })
      expect(writeScript({ language, seed, pickups: 2 })).toEqual(script)
      const words = script.passages
        .filter(({ kind }) => kind === 'speech')
        .toSorted((one, other) => one.scriptWord - other.scriptWord)
        .flatMap((passage) => passage.words)
      expect(words.map(({ text }) => text).join('')).toBe(spokenLetters(script.text).normalize())
      const mistakes = new Set(script.passages.map(({ kind }) => kind))
      expect(mistakes.size).toBeGreaterThan(2)
    }
    const clean = writeScript({ language, mistakes: false })
    expect(clean.passages.every(({ kind, sounds }) => kind === 'speech' && sounds.length === 0)).toBe(true)
  })

  it('has a reading for every word', () => {
    for (const { text, spoken } of sentenceTables[language].sentences.flat()) {
      expect(text).toMatch(/^\p{L}[\p{L}'’]*$/u)
      expect(spoken).not.toBe('')
      if (language === 'ja-JP') expect(spoken).not.toMatch(/\p{Script=Han}/u)
    }
  })
})

describe.skipIf(!canSpeak)('a recording', async () => {
  const folder = await scratchFolder()

  it.each(sampleCases(recordingLanguages))(
    'has voices and pauses where the truth says: %s',
    async (language) => {
      const plan = writeScript({ language, seed: 4, sentences: 6, pickups: 1 })
      const { samples, truth } = await assemble(plan)
      const edge = 0.004
      for (const [index, passage] of truth.passages.entries()) {
        const from = Math.round(passage.start * 16_000)
        const to = Math.round(passage.end * 16_000)
        expect([from / 16_000, to / 16_000]).toEqual([passage.start, passage.end])
        expect(Math.abs(samples[from] ?? 0)).toBeGreaterThan(edge - 0.002)
        expect(Math.abs(samples[to - 1] ?? 0)).toBeGreaterThan(edge - 0.002)
        const next = truth.passages[index + 1]
        const pause = plan.passages[index]?.pause ?? 0
        if (next) expect(Math.abs(next.start - passage.end - pause)).toBeLessThan(0.0001)
        const own = truth.words.slice(passage.words.from, passage.words.to)
        expect([own[0]?.start, own.at(-1)?.end]).toEqual([passage.start, passage.end])
        for (const [at, word] of own.entries()) expect(word.start).toBe(own[at - 1]?.end ?? passage.start)
      }
      expect(keptPassages(truth).length).toBeGreaterThanOrEqual(6)
    },
  )

  const rates = [
    { num: 25, den: 1 },
    { num: 60_000, den: 1001 },
    { num: 30_000, den: 1001 },
  ]

  it.each(sampleCases(rates))('is a video whose frames can be identified: $num/$den', async (rate) => {
    const recording = await assemble(writeScript({ language: 'en-US', sentences: 1 }))
    const path = await writeRecording(folder, recording, { name: `marks-${rate.num}`, rate })
    const facts = await probe(path)
    expect(facts.video?.frame_rate).toEqual(rate)
    expect(facts.audio).not.toBeNull()
    const frames = await readFrameNumbers(path)
    expect(frames).toEqual(
      Array.from({ length: Math.ceil(recording.truth.seconds * hertz(rate)) }, (_, at) => at),
    )
    expect(spansOfFrames([3, 4, 5, 2, 3], { num: 1, den: 1 })).toEqual([
      { start: 3, end: 6 },
      { start: 2, end: 4 },
    ])
    const written = await readFile(join(folder, `marks-${rate.num}.json`), 'utf8')
    expect(JSON.parse(written) as RecordingTruth).toEqual(recording.truth)
  })
})

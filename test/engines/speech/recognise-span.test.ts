import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configureServices } from '../../../src/engines/services/configured.ts'
import { recogniseSpan } from '../../../src/engines/speech/recognise-span.ts'
import { openTranscriptionService } from '../../../src/engines/speech/transcription-service.ts'
import { assemble } from '../../recordings/assemble.ts'
import { writeScript } from '../../recordings/script.ts'
import { recordingLanguages } from '../../recordings/sentences.ts'
import { canSpeak } from '../../recordings/speak.ts'
import { startStandInRecogniser } from '../../recordings/stand-in-recogniser.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { decodeLimits, writeSound } from './recordings.ts'

afterAll(() => configureServices({}))

describe.skipIf(!canSpeak)('recognising a span of a file', async () => {
  const folder = await scratchFolder()

  it.each(recordingLanguages)('hears every attempt of a restart with its own times: %s', async (language) => {
    const seed = [...Array(60).keys()].find((candidate) =>
      writeScript({ language, seed: candidate, sentences: 4 }).passages.some(
        ({ kind, pause }) => kind === 'restart' && pause > 0.16,
      ),
    )
    const recording = await assemble(writeScript({ language, seed: seed ?? 1, sentences: 4 }))
    const { passages, words } = recording.truth
    const index = passages.findIndex(({ kind }) => kind === 'restart')
    const [restart, take] = [passages[index], passages[index + 1]]
    if (!restart || !take) throw new Error('no script has a restart')
    const path = await writeSound(join(folder, `${language}.wav`), recording.samples)
    await using server = await startStandInRecogniser(recording, { swallowed: 1 })
    configureServices({ transcription: { address: `${server.origin}/v1`, model: 'stand-in' } })
    await using recogniser = openTranscriptionService()
    const span = { start: restart.start - 0.1, end: take.end + 0.1 }
    const segments = await recogniseSpan(path, span, { ...decodeLimits, recogniser, language })
    const heard = segments.flatMap((segment) => segment.words)
    const spoken = words.slice(restart.words.from, take.words.to)
    expect(heard.map(({ text }) => text).join('')).toBe(spoken.map(({ text }) => text).join(''))
    for (const [at, { start }] of heard.entries()) {
      expect(start).toBeGreaterThanOrEqual(heard[at - 1]?.end ?? 0)
      expect(segments.some((segment) => start >= segment.span.start && start <= segment.span.end)).toBe(true)
    }
    expect(heard[0]?.start).toBeCloseTo(restart.start, 1)
    expect(heard.at(-1)?.end).toBeCloseTo(take.end, 1)
    const silent = { start: 0, end: 0.7 }
    expect(await recogniseSpan(path, silent, { ...decodeLimits, recogniser, language })).toEqual([])
  })
})

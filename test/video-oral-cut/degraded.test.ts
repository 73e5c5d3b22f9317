import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { run } from '../../tools/video-oral-cut/run.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { bytes, fails, json, type FakeService, type Reply } from '../engines/services/fake-service.ts'
import { hasSpeechFiles, useSpeechPacks } from '../engines/speech/recordings.ts'
import { judgeCut } from '../recordings/judge.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { framesOfProject } from '../projects/project-readers.ts'
import { sampleCases } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { type Talk, writeTalk } from './cut-service.ts'

/** A transcription as the stand-in recogniser responds with it. */
interface Transcription {
  readonly text: string
  readonly words: readonly { readonly word: string; readonly start: number; readonly end: number }[]
  readonly segments: readonly unknown[]
}

/** Returns a reply that changes what another one responds with. */
function changed(reply: Reply, change: (transcription: Transcription) => unknown): Reply {
  return async (response, heard) => {
    let body = ''
    const recorder = { setHeader: () => recorder, end: (text: string) => (body = text) }
    await reply(recorder as never, heard)
    await json(change(JSON.parse(body) as Transcription))(response, heard)
  }
}

/** The message of an error, and its cause, which is for the log only: a service may quote its key. */
async function reasonOf(failing: Promise<unknown>): Promise<string> {
  const error = await failing.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason as Error,
  )
  expect(error).toMatchObject({ code: 6401, hint: expect.stringContaining('"transcription') as string })
  return `${error.message}: ${error.cause instanceof Error ? error.cause.message : ''}`
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('a cut with an imperfect recogniser', async () => {
  const folder = await scratchFolder()
  let [talk, recogniser]: [Talk?, FakeService?] = []
  let original: Reply
  let runs = 0

  beforeAll(async () => {
    useSpeechPacks(folder)
    talk = await writeTalk(join(folder, 'talk'), { language: 'en-US', seed: 9, sentences: 2 })
    recogniser = await startStandInRecogniser(talk.recording, {})
    original = recogniser.otherwise
    const service = { address: `${recogniser.origin}/v1`, model: 'stand-in', concurrency: 1 }
    configureServices({ transcription: service })
  })
  beforeEach(() => {
    if (recogniser) recogniser.otherwise = original
  })
  afterAll(async () => {
    configureServices({})
    await recogniser?.[Symbol.asyncDispose]()
  })

  /** Cuts the recording. `prepare` receives the folder of temporary files, which is also that of finished steps. */
  const cut = async ({
    request = {},
    prepare,
    scratch: given,
  }: {
    readonly request?: object
    readonly prepare?: (scratch: string) => Promise<unknown>
    readonly scratch?: string
  } = {}) => {
    if (!talk) throw new Error('there is no recording')
    runs += 1
    const scratch = given ?? join(folder, `run-${runs}`)
    await mkdir(scratch, { recursive: true })
    await prepare?.(scratch)
    const { context, results } = createTestContext(await stageFiles([talk.path]), scratch)
    const input = videoOralCut.input.parse({
      ...{ file_id: fileIdOf(talk.path), la: 'en-US', script: talk.script.text, source_path: '/talk.mp4' },
      ...request,
    })
    const output = videoOralCut.output.parse(await run(input, context))
    return { output, results, scratch }
  }
  const respond = (change: (transcription: Transcription) => unknown) => {
    if (recogniser) recogniser.otherwise = changed(original, change)
  }
  const f1 = async (results: readonly { readonly path: string }[]) => {
    if (!talk) throw new Error('there is no recording')
    const { rate, recording } = talk
    const [clips = []] = framesOfProject(await readFile(results[0]?.path ?? '', 'utf8'), 'xml', rate)
    const kept = clips.map(({ from, to }) => ({
      start: (from * rate.den) / rate.num,
      end: (to * rate.den) / rate.num,
    }))
    return judgeCut(recording.truth, kept, rhythmTable.default).f1
  }

  const untimed: readonly (readonly [string, (transcription: Transcription) => unknown])[] = [
    ['with text only', ({ text }) => ({ text })],
    ['without word times', (all) => ({ ...all, words: undefined })],
  ]
  test.each(sampleCases(untimed, 1))('%s is reported as degraded, and still cut', async (_, change) => {
    respond(change)
    const { output, results } = await cut()
    expect(output.report.analysis_degraded).toBe(true)
    expect(await f1(results)).toBeGreaterThan(0.8)
  })

  test('with words that overlap is cut', async () => {
    respond(({ words, ...others }) => ({
      ...others,
      words: words.map(({ word, start, end }) => ({ word, start, end: end + 2 })),
    }))
    const { output, results } = await cut()
    expect(output.report.analysis_degraded).toBe(false)
    expect(await f1(results)).toBeGreaterThan(0.9)
  })

  // The tests of words and of the transcription service have each kind.
  const garbage: readonly (readonly [string, (transcription: Transcription) => unknown, RegExp])[] = [
    [
      'times before the sound',
      ({ words, ...others }) => ({
        ...others,
        words: words.map(({ word, start, end }) => ({ word, start: start - 9, end })),
      }),
      /outside the sound/,
    ],
    [
      'words out of order',
      ({ words, ...others }) => ({ ...others, words: words.toReversed() }),
      /starts before the previous word|ends before it starts/,
    ],
    [
      'words of a hundred hours',
      ({ words, ...others }) => ({
        ...others,
        words: words.map(({ word }) => ({ word, start: 360_000, end: 360_001 })),
      }),
      /outside the sound/,
    ],
    [
      'an endless repetition',
      ({ words, ...others }) => ({ ...others, words: Array.from({ length: 100_000 }, () => words[0]) }),
      /100000 words for/,
    ],
    [
      'a word of a million characters',
      ({ text }) => ({ text: 'a'.repeat(1_000_000) + text }),
      /characters for/,
    ],
    ['no text', () => ({ words: [] }), /does not respond with a transcription/],
    ['a list', () => [], /does not respond with a transcription/],
  ]
  test.each(sampleCases(garbage, 1))('fails with the reason: %s', async (_, change, said) => {
    respond(change)
    expect(await reasonOf(cut())).toMatch(said)
  })

  const wrongReplies: readonly (readonly [string, Reply, RegExp])[] = [
    ['too much text', bytes(Buffer.alloc(17 * 2 ** 20, 'a'), 'application/json'), /too large a response/],
    [
      'JSON with NaN',
      bytes(Buffer.from('{"text":"a","words":[{"word":"a","start":NaN,"end":1}]}'), 'application/json'),
      /transcription/,
    ],
    ['a refused key', fails(401, { error: { message: 'wrong key' } }), /key/],
  ]
  test.each(sampleCases(wrongReplies, 1))('fails with the reason: %s', async (_, reply, said) => {
    if (recogniser) recogniser.otherwise = reply
    expect(await reasonOf(cut())).toMatch(said)
  })

  test('a recording in which nothing is recognised fails with what to check', async () => {
    respond((others) => ({ ...others, text: '', words: [], segments: [] }))
    await expect(cut()).rejects.toMatchObject({
      ...{ code: 6016, message: 'file_id: no speech was recognised in the footage' },
      hint: 'Check that somebody speaks in the footage, and that la (en-US) is the language.',
    })
  })

  test('a transcript that cannot be written is reported, and the projects are returned', async () => {
    const { output } = await cut({ prepare: (scratch) => mkdir(join(scratch, 'transcript.json')) })
    expect(output.errors.transcript).toMatch(/could not be written/)
    expect(output.files.map(({ type }) => type)).toEqual(['project'])
  })

  test('a segment whose line was not finished is recognised again, and those after it are kept', async () => {
    const { output, scratch } = await cut()
    const name = (await readdir(scratch)).find((one) => one.endsWith('.jsonl')) ?? ''
    const text = await readFile(join(scratch, name), 'utf8')
    const lines = text.split('\n').slice(0, -1)
    const half = lines[2]?.slice(0, 40) ?? ''
    await writeFile(join(scratch, name), [...lines.slice(0, 2), half].join('\n'))
    const asked = recogniser?.heard.length ?? 0
    const again = await cut({ scratch })
    expect(again.output.report).toEqual(output.report)
    expect((recogniser?.heard.length ?? 0) - asked).toBe(lines.length - 2)
    const third = await cut({ scratch })
    expect(third.output.report).toEqual(output.report)
    expect((recogniser?.heard.length ?? 0) - asked).toBe(lines.length - 2)
  })
})

import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEngines } from '../../src/engines/voice/engines.ts'
import { prepareReference } from '../../src/engines/voice/prepare-reference.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { hangs } from '../engines/services/fake-service.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { startFakeSpeechServices, type FakeSpeechServices } from './fake-speech-services.ts'
import { runTextToSpeech, shortReference } from './run-tts.ts'

// A given transcript and the speed of the result are checked.

const folder = await scratchFolder()
const speech = testdata('speech')
const hasModels = useTestPacks(join(folder, 'packs'))
const { signal } = new AbortController()

let speechServices: FakeSpeechServices
beforeEach(async () => {
  speechServices = await startFakeSpeechServices()
})
afterEach(() => speechServices[Symbol.asyncDispose]())

describe.skipIf(speech === undefined || !hasModels)(
  'with the public test files (REELWRIGHT_TESTDATA)',
  () => {
    let reference: string
    beforeAll(async () => {
      reference = await shortReference(folder)
    })

    test('reports a given transcript with words beyond the span, and a speed without effect', async () => {
      const heard = 'ask not what your country can do for you'
      const ref_text = `${heard} ${'and more of what was never said here '.repeat(3)}`
      const { output } = await runTextToSpeech(folder, reference, {
        text: 'Hello there.',
        ref_text,
        speed: 1.5,
      })
      expect(output.report.ref).toMatchObject({ text_source: 'user', ref_text })
      expect(output.notes).toEqual([
        expect.stringMatching(
          /^only \d+ % of ref_text were recognised in the speech from .* give its exact transcript/,
        ),
        expect.stringMatching(/^speed 1.5 had no effect: /),
      ])
      expect(speechServices.requests.map((request) => [request['text'], request['speed_factor']])).toEqual([
        ['Hello there.', 1.5],
        ['Hello there.', 1],
      ])
    })

    test('compares a given transcript in traditional characters as well', async () => {
      const request = { text: '大家好', text_lang: 'zh-CHT', ref_text: '請問你從哪裡來' }
      const notesFor = async (text: string) => {
        speechServices.fallbackTranscript = { text, language: 'chinese' }
        return (await runTextToSpeech(folder, reference, request)).output.notes
      }
      expect(await notesFor('请问你从哪里来')).toBeUndefined()
      expect(await notesFor('今天的天气很好')).toEqual([
        expect.stringMatching(/^ref_text matches only 0 % of/),
      ])
    })

    test('a recogniser that does not respond does not delay a given transcript', async () => {
      const files = await stageFiles([reference])
      await using engines = await openEngines(
        { text_lang: 'en-US', ref_text: 'Ask.' },
        { scratch: folder, signal },
      )
      speechServices.recogniser.otherwise = hangs()
      const prepared = await prepareReference(
        files.get(fileIdOf(reference)),
        { text_lang: 'en-US', ref_text: 'Ask.' },
        { ...engines, signal, comparisonMs: 50 },
      )
      expect(prepared).toMatchObject({ source: 'user', recogniser: null, notes: [] })
      expect(prepared.reference.text).toBe('Ask.')
    })
  },
)

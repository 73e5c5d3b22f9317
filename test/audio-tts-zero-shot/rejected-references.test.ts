import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { writeFloatWav } from '../engines/float-wav.ts'
import { json } from '../engines/services/fake-service.ts'
import { noise, silence, writeSound } from '../engines/speech/recordings.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases } from '../soak-size.ts'
import { startFakeSpeechServices, type FakeSpeechServices } from './fake-speech-services.ts'
import { runTextToSpeech, shortReference } from './run-tts.ts'

const ffmpeg = (...args: string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...args])
const folder = await scratchFolder()
const speech = testdata('speech')
const hasModels = useTestPacks(join(folder, 'packs'))

let speechServices: FakeSpeechServices
beforeEach(async () => {
  speechServices = await startFakeSpeechServices()
})
afterEach(() => speechServices[Symbol.asyncDispose]())

describe.skipIf(speech === undefined || !hasModels)(
  'rejects an unusable recording with the rule it breaks (REELWRIGHT_TESTDATA)',
  () => {
    const jfk = join(speech ?? '', 'jfk.flac')
    const createRecording = async (name: string, inputs: readonly string[], graph: string) => {
      const path = join(folder, name)
      const inputArgs = inputs.flatMap((input) => ['-i', input])
      await ffmpeg(...inputArgs, '-filter_complex', graph, '-map', '[a]', '-ar', '16000', '-ac', '1', path)
      return path
    }
    const prompt = join(speech ?? '', 'cosyvoice-zero_shot_prompt.wav')
    const rejection = async (path: string) => {
      const failure: unknown = await runTextToSpeech(folder, path, { text: 'Hello.' }).catch(
        (error: unknown) => error,
      )
      expect(failure).toMatchObject({ code: 6016, retryable: false })
      return (failure as Error).message
    }

    test('silence and noise', async () => {
      for (const sound of [noise(6, 0.06), silence(6)])
        expect(await rejection(await writeSound(join(folder, 'sound.wav'), sound))).toContain(
          'contains no speech',
        )
    })

    test('words with long pauses between them', async () => {
      const cut = [0, 1, 2].map(
        (at) =>
          `[c${at}]atrim=${0.5 + at * 0.9}:${1.3 + at * 0.9},asetpts=PTS-STARTPTS,apad=pad_dur=1.2[p${at}]`,
      )
      const graph = ['[0]asplit=3[c0][c1][c2]', ...cut, '[p0][p1][p2]concat=n=3:v=0:a=1[a]']
      const path = await createRecording('apart.wav', [prompt], graph.join(';'))
      expect(await rejection(path)).toMatch(/no 3 s of speech without a silence longer than 0\.6 s/)
    })

    test('two people speaking alternately', async () => {
      const one = join(speech ?? '', 'librispeech-1995-1837-0001.wav')
      const other = join(speech ?? '', 'librivox/sense_and_sensibility_01_austen_64kb-0870.wav')
      const pieces = [0, 1, 2].flatMap((at) => [
        `[one${at}]atrim=${2.8 + 1.8 * at}:${4.6 + 1.8 * at},asetpts=PTS-STARTPTS[x${at}]`,
        `[other${at}]atrim=${0.5 + 1.8 * at}:${2.3 + 1.8 * at},asetpts=PTS-STARTPTS[y${at}]`,
      ])
      const graph = [
        '[0]aresample=16000,asplit=3[one0][one1][one2]',
        '[1]aresample=16000,asplit=3[other0][other1][other2]',
        ...pieces,
        '[x0][y0][x1][y1][x2][y2]concat=n=6:v=0:a=1[a]',
      ]
      const path = await createRecording('turns.wav', [one, other], graph.join(';'))
      expect(await rejection(path)).toMatch(/no 3 s of continuous speech of one person alone/)
    })

    test('speech that is not recognised', async () => {
      const confidentSegments = [{ start: 0, end: 2, text: '♪', avg_logprob: -0.01 }]
      const reference = await shortReference(folder)
      const unknown = [{ text: '' }, { text: '♪' }, { text: '♪', segments: confidentSegments }]
      for (const others of sampleCases(unknown)) {
        speechServices.fallbackTranscript = { ...others, language: 'english' }
        expect(await rejection(reference)).toContain('was not recognised')
      }
      speechServices.fallbackTranscript = {
        text: 'murmur',
        language: 'english',
        segments: [{ start: 0, end: 2, text: 'murmur', avg_logprob: -1.5 }],
      }
      expect(await rejection(reference)).toMatch(/with a confidence of at most 0\.2\d; 0\.5 is required/)
    })

    test('words that differ in the second recognition', async () => {
      let recognitionCount = 0
      speechServices.recogniser.otherwise = (response) => {
        recognitionCount += 1
        const words = [
          `${recognitionCount} babble`,
          `${recognitionCount} of ${recognitionCount}`,
          `${recognitionCount}th noise`,
        ]
        return json({ text: words.join(' '), language: 'english' })(response, {} as never)
      }
      expect(await rejection(jfk)).toMatch(/with a confidence of at most 0\.\d\d; 0\.5 is required/)
    })

    test('a recording that is too short or too long, before anything is charged', async () => {
      const short = await writeSound(join(folder, 'short.wav'), silence(2.9))
      expect(await rejection(short)).toContain('lasts 2.9 s, not 3 s to 30 min')
      // At 100 samples per second.
      const long = await writeFloatWav(join(folder, 'long.wav'), new Float32Array(180_100), 100)
      expect(await rejection(long)).toContain('lasts 30 min 1 s, not 3 s to 30 min')
    })
  },
)

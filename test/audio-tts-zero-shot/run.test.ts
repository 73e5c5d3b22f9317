import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configuredPacks, configurePacks } from '../../src/engines/packs/resolve.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { decodeWav, encodeWav } from '../../src/media/audio/wav.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import { requirements } from '../../tools/audio-tts-zero-shot/requirements.ts'
import { run } from '../../tools/audio-tts-zero-shot/run.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { bytes, fails, json } from '../engines/services/fake-service.ts'
import { joined, silence, voiceOf, writeSound } from '../engines/speech/recordings.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { fakeVoiceRate, startFakeSpeechServices, type FakeSpeechServices } from './fake-speech-services.ts'
import { runTextToSpeech, shortReference } from './run-tts.ts'

const folder = await scratchFolder()
const speech = testdata('speech')
const hasModels = useTestPacks(join(folder, 'packs'))

let speechServices: FakeSpeechServices
beforeEach(async () => {
  speechServices = await startFakeSpeechServices()
})
afterEach(() => speechServices[Symbol.asyncDispose]())

async function loudnessOf(path: string): Promise<number> {
  const { samples } = decodeWav(await readFile(path))
  return Math.max(...samples.map(Math.abs))
}

describe.skipIf(speech === undefined || !hasModels)(
  'with the public test files (REELWRIGHT_TESTDATA)',
  () => {
    const jfk = join(speech ?? '', 'jfk.flac')
    let reference: string
    beforeAll(async () => {
      reference = await shortReference(folder)
    })

    test('speaks a text sentence by sentence in the voice of the best span of a recording', async () => {
      const text = 'Good morning. This is the news of today! Is it good?'
      const { output, results, path, progress } = await runTextToSpeech(folder, jfk, {
        text,
        fragment_interval: 0.25,
      })
      expect(speechServices.requests.map((request) => request['text'])).toEqual([
        'Good morning.',
        'This is the news of today!',
        'Is it good?',
      ])
      expect(speechServices.requests[0]).toMatchObject({
        prompt_lang: 'en',
        text_lang: 'en',
        speed_factor: 1,
      })
      expect(speechServices.requests[0]?.['prompt_text']).toBe('ask not what your country can do for you')
      const { span_ms, ...ref } = output.report.ref
      expect(ref).toMatchObject({
        separated: false,
        text_source: 'asr',
        ref_text: 'ask not what your country can do for you',
        ref_lang: 'en-US',
        // The recogniser reported no confidence, and returned the same text twice.
        asr_confidence: 1,
        recogniser: `parrot at ${new URL(speechServices.recogniser.origin).host}`,
        separator: null,
      })
      const [start = 0, end = 0] = span_ms
      expect(end - start).toBeGreaterThanOrEqual(3000)
      expect(end - start).toBeLessThanOrEqual(10_000)
      expect(output).toMatchObject({
        speaker: 'zero_shot',
        voice_id: 'zero_shot',
        engine: new URL(speechServices.voice.origin).host,
        sample_rate: fakeVoiceRate,
        segments_source: 'assembled',
      })
      expect(output).not.toHaveProperty('errors')
      expect(output).not.toHaveProperty('notes')
      const { samples, rate } = decodeWav(await readFile(path))
      expect(rate).toBe(fakeVoiceRate)
      expect(Math.round((samples.length / rate) * 1000)).toBe(output.duration_ms)
      // Three sentences of about a second, two pauses.
      expect(output.duration_ms).toBeGreaterThan(3400)
      expect(output.duration_ms).toBeLessThan(3800)
      const segments = output.segments ?? []
      expect(segments.map(({ text: sentence }) => sentence).join(' ')).toBe(text)
      for (const [index, segment] of segments.entries()) {
        expect(segment.index).toBe(index)
        expect(segment.start_ms).toBe(index === 0 ? 0 : segments[index - 1]?.end_ms)
      }
      expect(segments.at(-1)?.end_ms).toBe(output.duration_ms)
      expect(results[0]?.name).toBe('Good morning.wav')
      expect(progress.at(-1)).toBe(100)
      const tags = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_entries', 'format_tags', path])
      expect(tags.stdout).toContain('AI-generated')
      expect(await loudnessOf(path)).toBeGreaterThan(0.2)
    })

    test('repeats a sentence with missing words at most twice, and reports words still missing', async () => {
      speechServices.spokenWords = (text, attempt) => {
        if (text === 'One two three four five six.') return attempt === 0 ? 'one two' : text
        return text.startsWith('Seven') ? (['seven', 'seven eight nine', 'eight'][attempt] ?? '') : text
      }
      const text = 'One two three four five six. Seven eight nine ten eleven. In 1999 it was 12.'
      const { output } = await runTextToSpeech(folder, reference, { text })
      expect(speechServices.requests.map((request) => request['text'])).toEqual([
        ...Array.from({ length: 2 }, () => 'One two three four five six.'),
        ...Array.from({ length: 3 }, () => 'Seven eight nine ten eleven.'),
        'In 1999 it was 12.',
      ])
      expect(output.notes).toEqual([expect.stringMatching(/^of "Seven eight.*" 40 % of the words/)])
    })

    test('subtitles match the sound and fit the picture, without commas and full stops', async () => {
      const text = '大家好，欢迎收看今天的节目。我们先从天气开始说起，然后再说说体育新闻和经济方面的消息。'
      const request = {
        text,
        text_lang: 'zh-CN',
        ref_lang: 'en-US',
        subtitle_format: 'srt',
        output_format: 'mp3',
      }
      const { output, results, path, srt } = await runTextToSpeech(folder, reference, request)
      expect(results.map(({ name }) => name)).toEqual([
        '大家好，欢迎收看今天的节目.mp3',
        '大家好，欢迎收看今天的节目.srt',
      ])
      expect(output).toMatchObject({ subtitle_file_id: '2', subtitle_file_download_url: expect.any(String) })
      const written = await readFile(srt ?? '', 'utf8')
      const times = [...written.matchAll(/(\d\d):(\d\d):(\d\d),(\d{3})/g)].map(
        ([, hours, minutes, seconds, ms]) =>
          Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(ms),
      )
      expect(times.toSorted((one, other) => one - other)).toEqual(times)
      expect(times.at(-1)).toBeLessThanOrEqual(output.duration_ms)
      const lines = written.split('\n').filter((line) => /\p{sc=Han}/u.test(line))
      expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/[，。]/g, ''))
      // 1080x1920: 13 letters a line.
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(13)
      const tags = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_entries', 'format_tags', path])
      expect(tags.stdout).toContain('AI-generated')
    })

    const recognised = [
      ['something else you do', 38],
      ['', 0],
    ] as const
    test.each(sampleCases(recognised, 1))(
      'uses a given transcript unchanged, with the span that matches it, where "%s" is recognised',
      async (heard, percent) => {
        const ref_text = 'Ask, what you can do for your country!'
        speechServices.fallbackTranscript = { text: heard, language: 'english' }
        const { output } = await runTextToSpeech(folder, jfk, { text: 'Hello.', ref_text })
        expect(output.report.ref).toMatchObject({ text_source: 'user', ref_text })
        expect(speechServices.requests[0]?.['prompt_text']).toBe(ref_text)
        const span = String.raw`\d+\.\d s to \d+\.\d s of the rec`
        expect(output.notes).toEqual([
          expect.stringMatching(new RegExp(`^ref_text matches only ${percent} % of the speech from ${span}`)),
        ])
      },
    )

    test('stops at the first span that matches a given transcript', async () => {
      const kennedy = (await voiceOf('kennedy')).subarray(5.3 * 16_000)
      const repeatedRecording = await writeSound(
        join(folder, 'twice.wav'),
        joined(kennedy, silence(1), kennedy),
      )
      const ref_text = 'Ask, what you can do for your country!'
      const others = { text: 'what you can do for your country', language: 'english' }
      speechServices.fallbackTranscript = others
      const at: number[] = []
      for (const before of [[], [{ ...others, text: 'something else' }]]) {
        speechServices.recogniser.replies.push(...before.map(json))
        speechServices.recogniser.heard.length = 0
        const { output } = await runTextToSpeech(folder, repeatedRecording, { text: 'Hello.', ref_text })
        expect(output).not.toHaveProperty('notes')
        at.push(...output.report.ref.span_ms)
        expect(speechServices.recogniser.heard, 'recognitions of spans, and of the speech').toHaveLength(
          before.length + 2,
        )
      }
      expect(at.slice(0, 2)).not.toEqual(at.slice(2))
    })

    test('an attempt reuses the sentences of an earlier one', async () => {
      const files = await stageFiles([reference])
      const input = audioTtsZeroShot.input.parse({
        ref_file_id: fileIdOf(reference),
        text_lang: 'en-US',
        text: 'One is here. Two is here. Three is here.',
      })
      const scratch = join(folder, 'resumed')
      await mkdir(scratch)
      const { context } = createTestContext(files, scratch)
      speechServices.voice.replies.push(
        (...replyArgs) => speechServices.voice.otherwise(...replyArgs),
        fails(401),
      )
      await expect(run(input, context)).rejects.toMatchObject({ code: 6401 })
      speechServices.requests.length = 0
      const output = await run(input, context)
      expect(speechServices.requests.map((request) => request['text'])).toEqual([
        'Two is here.',
        'Three is here.',
      ])
      expect(output.segments).toHaveLength(3)
    })

    test('reports what is missing with the command or setting that fixes it', async () => {
      const before = configuredPacks()
      onTestFinished(() => before && configurePacks(before))
      configurePacks({ folder: join(folder, 'none'), automatic: false, own: {}, manifest })
      configureServices({})
      const missing = async (request: Record<string, unknown>) => {
        const files = await stageFiles([reference])
        const input = audioTtsZeroShot.input.parse({
          ref_file_id: fileIdOf(reference),
          text: 'Hello.',
          ...request,
        })
        return await requireAll(requirements(input, files)).catch((error: unknown) => error)
      }
      const needed = 'voice-activity speaker-segmentation zipvoice'
      expect(await missing({})).toMatchObject({
        code: 6401,
        retryable: false,
        hint: `reelwright models pull ${needed} sense-voice`,
      })
      expect(await missing({ ref_text: 'known' })).toMatchObject({
        hint: `reelwright models pull ${needed}`,
      })
      expect(await missing({ text_lang: 'ja-JP' })).toMatchObject({
        code: 6401,
        hint: expect.stringContaining('voice_service'),
      })
      expect(await requireAll(requirements()).catch((error: unknown) => error)).toMatchObject({
        code: 6401,
        hint: `reelwright models pull ${needed} sense-voice`,
      })
    })

    /** Their fields are those of the tests above. */
    const examples = soakSize<typeof audioTtsZeroShot.examples | readonly []>([], audioTtsZeroShot.examples)
    test.each(examples)('example: $title', async ({ input }) => {
      const { output, results } = await runTextToSpeech(folder, reference, {
        ...input,
        ref_file_id: fileIdOf(reference),
      })
      expect(results).toHaveLength(input['subtitle_format'] === undefined ? 1 : 2)
      expect(
        output.segments
          ?.map(({ text }) => text)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(String(input['text']).replaceAll(' ', ''))
    })

    test('a voice that returns silence fails the task with that reason', async () => {
      speechServices.voice.otherwise = bytes(
        encodeWav({ samples: new Float32Array(16_000), rate: 16_000 }),
        'audio/wav',
      )
      await expect(runTextToSpeech(folder, reference, { text: 'Hello.' })).rejects.toMatchObject({
        code: 6401,
        message: expect.stringContaining('silence'),
      })
    })
  },
)

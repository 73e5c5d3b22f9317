import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import { run } from '../../tools/audio-tts-zero-shot/run.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { startFakeSpeechServices, type FakeSpeechServices } from './fake-speech-services.ts'
import { runTextToSpeech, shortReference } from './run-tts.ts'

// Effects of single fields of a request.

const folder = await scratchFolder()
useTestPacks(join(folder, 'packs'))

let speechServices: FakeSpeechServices
beforeEach(async () => {
  speechServices = await startFakeSpeechServices()
})
afterEach(() => speechServices[Symbol.asyncDispose]())

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  let recording: string
  beforeAll(async () => {
    recording = await shortReference(folder)
  })

  const text =
    'The old captain, who had never been out at sea since the war, lent us his boat. It cost 3.50 a day.'

  let spoken: ReturnType<typeof runTextToSpeech> | undefined
  /** Speaks the text with subtitles, once for all tests. */
  const speakWithSubtitles = () =>
    (spoken ??= runTextToSpeech(folder, recording, { text, subtitle_format: 'srt' }))

  test('a video is accepted as a reference', async () => {
    const video = await generateMedia(join(folder, 'talk.mp4'), [
      ...picture(6),
      ...['-i', recording, '-map', '0:v', '-map', '1:a', ...h264, '-c:a', 'aac'],
    ])
    const alone = await speakWithSubtitles()
    const { output, results } = await runTextToSpeech(folder, video, { text: 'Hello.' })
    expect(results.map(({ name }) => name)).toEqual(['Hello.wav'])
    for (const [at, time] of output.report.ref.span_ms.entries())
      expect(Math.abs(time - (alone.output.report.ref.span_ms[at] ?? 0))).toBeLessThan(100)
  })

  test('subtitles default to a portrait canvas without commas and full stops', async () => {
    const entriesOf = async ({ srt = '' }: Awaited<ReturnType<typeof runTextToSpeech>>) => {
      return readSubtitles(await readFile(srt), { format: 'srt' }).entries.map((entry) => entry.text)
    }
    const [portrait, landscape] = [
      await entriesOf(await speakWithSubtitles()),
      await entriesOf(
        await runTextToSpeech(folder, recording, {
          ...{ text, subtitle_format: 'srt', canvas: [1920, 1080], strip_punctuation: false },
        }),
      ),
    ]
    const joinEntries = (entries: readonly string[]) => entries.join(' ').replaceAll('\n', ' ')
    expect(joinEntries(portrait)).toBe(text.replaceAll(/[,.](?!\d)/g, ''))
    expect(joinEntries(landscape)).toBe(text)
    const longest = (entries: readonly string[]) =>
      Math.max(...entries.flatMap((entry) => entry.split('\n')).map(estimateWidth))
    // Width of a line in full-width characters.
    expect(longest(portrait)).toBeLessThanOrEqual(13)
    expect(longest(landscape)).toBeGreaterThan(13)
    expect(longest(landscape)).toBeLessThanOrEqual(20)
  })

  test.each([
    // Each sentence is verified by recognition, unless the recogniser would return other characters.
    ['zh-CHS', '今天天气很好。我们去公园。', 2],
    ['zh-CHT', '今天天氣很好。我們去公園。', 0],
  ])(
    '%s is spoken as Mandarin, and its subtitles keep the given characters',
    async (text_lang, written, recognitions) => {
      const request = { text: written, text_lang, subtitle_format: 'srt', strip_punctuation: false }
      const { output, srt = '' } = await runTextToSpeech(folder, recording, request)
      expect(speechServices.requests).toMatchObject([
        { text: written.slice(0, 7), text_lang: 'zh', prompt_lang: 'zh' },
        { text: written.slice(7), text_lang: 'zh', prompt_lang: 'zh' },
      ])
      expect(speechServices.recogniser.heard).toHaveLength(2 + recognitions)
      expect(output.report.ref.ref_lang).toBe('zh-CN')
      expect(output).not.toHaveProperty('notes')
      const { entries } = readSubtitles(await readFile(srt), { format: 'srt' })
      expect(entries.map((entry) => entry.text).join('')).toBe(written)
    },
  )

  test('failed subtitles do not fail the task', async () => {
    const files = await stageFiles([recording])
    const scratch = join(folder, 'barred')
    // A folder where the file should be.
    await mkdir(join(scratch, 'speech.srt'), { recursive: true })
    const { context, results } = createTestContext(files, scratch)
    const request = { ref_file_id: fileIdOf(recording), text: 'Hello there.', text_lang: 'en-US' }
    const input = audioTtsZeroShot.input.parse({ ...request, subtitle_format: 'srt' })
    const output = audioTtsZeroShot.output.parse(await run(input, context))
    expect(results.map(({ name }) => name)).toEqual(['Hello there.wav'])
    expect(output).toMatchObject({
      ...{ file_id: '1', segments: [{ text: 'Hello there.' }] },
      ...{ subtitle_file_id: '', subtitle_file_download_url: '' },
      errors: { subtitle: 'the file could not be written' },
    })
  })
})

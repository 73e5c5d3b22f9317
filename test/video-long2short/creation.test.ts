import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { recognitionLanguages, subtitleLanguages } from '../../src/contract/languages.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type CuttingAccount, openCuttingAccount } from '../service/cutting-account.ts'

// Bounds and errors of section 4.8, 7 and 8 of document 3 that need several fields or files. test/contract has the rest.

const type = 'video_long2short'
const folder = await scratchFolder()
let cutting: CuttingAccount
let calls: CuttingAccount['calls']
let ids: CuttingAccount['ids']

beforeAll(async () => {
  cutting = await openCuttingAccount(type, {
    folder,
    texts: { 'large.srt': '1\n00:00:01,000 --> 00:00:02,000\nHello.\n'.padEnd(8 * 2 ** 20 + 1) },
  })
  ;({ ids, calls } = cutting)
})
afterAll(() => cutting[Symbol.asyncDispose]())

const smallest = () => ({ file_id: ids['talk.mp4'], language: 'en-US', source_path: '/footage/talk.mp4' })
const quote = (change: object) => cutting.quote({ ...smallest(), ...change })
const video = { outputs: ['video'], source_path: undefined }
const entry = (text: string, start_time: number, end_time: number) => ({ text, start_time, end_time })
const hello = entry('Hello.', 0.5, 1)
const stt = { word_tc_list: [hello], sentence_tc_list: [hello] }

describe('accepted', () => {
  const accepted: readonly (readonly [string, object | (() => object)])[] = [
    ...recognitionLanguages.map((language) => [`language ${language}`, { language }] as const),
    ...subtitleLanguages.map((code) => [`output_language ${code}`, { output_language: code }] as const),
    ['a video without project, and no source_path', video],
    [
      'project fields without project, whatever they are',
      { ...video, project_formats: ['edl'], struct_meta: 1 },
    ],
    ['only a report', { outputs: ['report'], source_path: undefined }],
    ['max_clip_sec 5', { duration: { max_clip_sec: 5 } }],
    ['max_clip_sec 1800 with pref short', { duration: { pref: 'short', max_clip_sec: 1800 } }],
    ['a size of 16x4096', { output_size: '16x4096' }],
    ['a transcript', { stt }],
    ['a transcript of a silent video', () => ({ file_id: ids['silent.mp4'], stt })],
    [
      'words that overlap by less than 0.25 s',
      {
        stt: {
          word_tc_list: [entry('a', 1, 2), entry('b', 0.8, 2)],
          sentence_tc_list: [entry('a b', 0.8, 2)],
        },
      },
    ],
    ['subtitles', () => ({ subtitle_file_id: ids['lines.srt'] })],
    [
      'subtitles of a silent video',
      () => ({ file_id: ids['silent.mp4'], subtitle_file_id: ids['lines.srt'] }),
    ],
    // The task fails.
    ['words without sentences', { stt: { word_tc_list: [hello], sentence_tc_list: [] } }],
    ['null for stt beside subtitles', () => ({ stt: null, subtitle_file_id: ids['lines.srt'] })],
  ]
  it.each(accepted)('%s', async (_, change) => {
    const body = typeof change === 'function' ? change() : change
    expect(await quote(body)).toMatchObject({ status: 200, data: { credits: 1 } })
  })

  it('200,000 words', { timeout: 120_000 }, async () => {
    const words = Array.from({ length: 200_000 }, (_, index) =>
      entry(`w${index}`, index / 1e5, (index + 1) / 1e5),
    )
    expect(
      await quote({ stt: { word_tc_list: words, sentence_tc_list: [entry('all', 0, 2)] } }),
    ).toMatchObject({
      status: 200,
    })
  })
})

describe('rejected', () => {
  const rejected: readonly (readonly [string, object | (() => object), number, RegExp])[] = [
    ['no file', { file_id: undefined }, 6013, /file_id/],
    ['no language', { language: undefined }, 6013, /language/],
    ['no file in a language without recognition', { file_id: undefined, language: 'es-ES' }, 6013, /file_id/],
    ['an unknown language', { language: 'de-DE' }, 6017, /language: "de-DE" is not a supported language/],
    ['a short code', { language: 'en' }, 6017, /language/],
    ['zh-HK, which is only spoken', { language: 'zh-HK' }, 6017, /language/],
    ['an unknown output_language', { output_language: 'de-DE' }, 6017, /output_language: "de-DE"/],
    [
      'a transcript and subtitles',
      () => ({ stt, subtitle_file_id: ids['lines.srt'], source_path: undefined }),
      6016,
      /^stt and subtitle_file_id: only one/,
    ],
    [
      'an invalid transcript and subtitles',
      () => ({ stt: 5, subtitle_file_id: ids['lines.srt'] }),
      6016,
      /^stt and subtitle_file_id: only one/,
    ],
    ['no source_path', { source_path: undefined }, 6016, /source_path: required/],
    [
      'no source_path with report',
      { outputs: ['report', 'project'], source_path: undefined },
      6016,
      /source_path/,
    ],
    ['a source_path of 1025 characters', { source_path: 'x'.repeat(1025) }, 6016, /source_path/],
    ['an odd side', { output_size: '1081x1920' }, 6016, /output_size.*1081x1920/],
    ['a side of 14', { output_size: '14x16' }, 6016, /output_size/],
    ['a side of 4098', { output_size: '16x4098' }, 6016, /output_size/],
    ['another ratio', { output_size: '4:3' }, 6016, /output_size/],
    ['max_clip_sec 4.9', { duration: { max_clip_sec: 4.9 } }, 6016, /duration\.max_clip_sec/],
    ['max_clip_sec 1801', { duration: { max_clip_sec: 1801 } }, 6016, /duration\.max_clip_sec/],
    ['an unknown pref', { duration: { pref: 'huge' } }, 6016, /duration\.pref/],
    ['an unknown split mode', { split_screen: { prefer_mode: 'x' } }, 6016, /split_screen\.prefer_mode/],
    ['no words', { stt: { sentence_tc_list: [hello] } }, 6016, /stt\.word_tc_list/],
    ['no sentences', { stt: { word_tc_list: [hello] } }, 6016, /stt\.sentence_tc_list/],
    [
      'a word that ends before it starts',
      { stt: { ...stt, word_tc_list: [entry('a', 2, 1)] } },
      6016,
      /word_tc_list/,
    ],
    [
      'words in the wrong order',
      { stt: { ...stt, word_tc_list: [entry('a', 2, 2.5), entry('b', 1, 1.5)] } },
      6016,
      /starts before the previous entry/,
    ],
    [
      'a word after the end',
      { stt: { ...stt, word_tc_list: [hello, entry('b', 5, 6)] } },
      6016,
      /after the end of the file/,
    ],
    [
      'a sentence without words',
      { stt: { word_tc_list: [hello], sentence_tc_list: [hello, entry('Other.', 2, 3)] } },
      6016,
      /contains no word/,
    ],
    [
      'a time that is no number',
      { stt: { ...stt, word_tc_list: [entry('a', 1, Number.NaN)] } },
      6016,
      /word_tc_list/,
    ],
    [
      '200,001 words',
      { stt: { ...stt, word_tc_list: Array.from({ length: 200_001 }, () => hello) } },
      6016,
      /word_tc_list/,
    ],
    [
      'a word of 201 characters',
      { stt: { ...stt, word_tc_list: [entry('x'.repeat(201), 1, 2)] } },
      6016,
      /word_tc_list/,
    ],
    [
      'subtitles of another kind',
      () => ({ subtitle_file_id: ids['lines.vtt'] }),
      6014,
      /lines\.vtt is not \.srt or \.ass/,
    ],
    ['a video as subtitles', () => ({ subtitle_file_id: ids['talk.mp4'] }), 6014, /talk\.mp4/],
    [
      'subtitles of more than 8 MB',
      () => ({ subtitle_file_id: ids['large.srt'] }),
      6016,
      /large\.srt is larger than 8 MB/,
    ],
    ['subtitles of another account', () => ({ subtitle_file_id: ids['foreign.srt'] }), 6004, /./],
    [
      'a video without sound and transcript',
      () => ({ file_id: ids['silent.mp4'] }),
      6014,
      /silent\.mp4 has no sound/,
    ],
    ['sound', () => ({ file_id: ids['sound.wav'] }), 6014, /sound\.wav/],
    ['a still picture', () => ({ file_id: ids['still.png'] }), 6014, /still\.png/],
    ['the file of another account', () => ({ file_id: ids['foreign.mp4'] }), 6004, /./],
    ['an unknown file', { file_id: '1234567890123456789' }, 6004, /./],
    ['no output', { outputs: [] }, 6016, /outputs/],
    ['an unknown format', { project_formats: ['aaf'] }, 6016, /project_formats/],
  ]
  it.each(rejected)('%s', async (_, change, code, said) => {
    const body = { ...smallest(), ...(typeof change === 'function' ? change() : change) }
    const response = await calls.create(type, body)
    expect(response).toMatchObject({ code, status: code === 6004 ? 404 : 400 })
    expect(response.msg).toMatch(said)
  })

  it.each([
    ...['es-ES', 'pt-PT', 'ru-RU', 'vi-VN'].map((language) => [language, 6015] as const),
    ['de-DE', 6017] as const,
  ])('%s before the file is looked at: %i', async (language, code) => {
    for (const file_id of ['1234567890123456789', ids['lines.srt'], ids['foreign.mp4'], ids['talk.mp4']])
      expect(await calls.create(type, { ...smallest(), file_id, language })).toMatchObject({
        code,
        status: 400,
      })
  })
})

test('nothing was charged, and no task exists', async () => {
  expect(await calls.balance()).toBe(10)
  const { data } = await calls.send<{ total: number }>('/task/list')
  expect(data.total).toBe(0)
})

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { recognitionLanguages, subtitleLanguages } from '../../src/contract/languages.ts'
import { h264, picture, scratchFolder, tone } from '../engines/ffmpeg/generate-media.ts'
import { type CuttingAccount, openCuttingAccount } from '../service/cutting-account.ts'

// Bounds and errors of section 4.9, 7 and 8 of document 3 over HTTP. test/contract has each field alone.

const type = 'video_long2short_pro'
const folder = await scratchFolder()
let cutting: CuttingAccount
let calls: CuttingAccount['calls']
let ids: CuttingAccount['ids']

beforeAll(async () => {
  cutting = await openCuttingAccount(type, {
    folder,
    media: { 'long.mp4': [...picture(61), ...tone(61), ...h264, '-c:a', 'aac'] },
  })
  ;({ ids, calls } = cutting)
})
afterAll(() => cutting[Symbol.asyncDispose]())

const smallest = () => ({ file_id: ids['talk.mp4'], language: 'en-US' })
const quote = (change: object) => cutting.quote({ ...smallest(), ...change })
const hello = { text: 'Hello.', start_time: 0.5, end_time: 1 }
const stt = { word_tc_list: [hello], sentence_tc_list: [hello] }

describe('accepted', () => {
  const accepted: readonly (readonly [string, object | (() => object)])[] = [
    ...recognitionLanguages.map((language) => [`language ${language}`, { language }] as const),
    ...subtitleLanguages.map(
      (code) => [`subtitles also in ${code}`, { subtitle: { translate_language: code } }] as const,
    ),
    ['only file and language', {}],
    ['null for outputs and source_path', { outputs: null, source_path: null }],
    [
      'no probability, amplitude, share and blur',
      { camera_move: { probability: 0, amplitude: 0, max_ratio: 0, blur_sigma: 0 } },
    ],
    [
      'the highest of each',
      { camera_move: { probability: 1, amplitude: 0.5, max_ratio: 1, blur_sigma: 100 } },
    ],
    ['half the speed', { speed: { factor: 0.5 } }],
    ['twice the speed', { speed: { factor: 2 } }],
    ['no crossfade', { seam: { crossfade_ms: 0 } }],
    ['a crossfade of 500 ms', { seam: { crossfade_ms: 500 } }],
    [
      'translated subtitles that are not burned in',
      { subtitle: { enable: false, translate_language: 'zh-CN' } },
    ],
    ['a split screen from left to right', { split_screen: { enable: true, orientation: 'lr' } }],
    ['a size of 16x4096', { output_size: '16x4096' }],
    ['a transcript of a silent video', () => ({ file_id: ids['silent.mp4'], stt })],
    ['subtitles', () => ({ subtitle_file_id: ids['lines.srt'] })],
    ['project formats, which are ignored', { project_formats: ['xml'] }],
  ]
  it.each(accepted)('%s', async (_, change) => {
    const body = typeof change === 'function' ? change() : change
    expect(await quote(body)).toMatchObject({ status: 200, data: { credits: 1 } })
  })

  it('a credit for each started minute, whatever is requested', async () => {
    expect(await quote({ file_id: ids['long.mp4'] })).toMatchObject({ data: { credits: 2 } })
  })

  it('as more work: recognition, a slower clip, and the removal of subtitles', async () => {
    const seconds = async (change: object) => {
      const { data } = await quote({ file_id: ids['long.mp4'], ...change })
      return (data as { readonly estimated_duration: number }).estimated_duration
    }
    const usual = await seconds({})
    expect(await seconds({ stt })).toBeLessThan(usual)
    expect(await seconds({ speed: { factor: 0.5 } })).toBeGreaterThan(usual)
    expect(await seconds({ subtitle: { purify_source: true } })).toBeGreaterThan(usual)
  })
})

describe('rejected', () => {
  const rejected: readonly (readonly [string, object | (() => object), number, RegExp])[] = [
    ['no file', { file_id: undefined, outputs: ['video'] }, 6013, /file_id/],
    ['no language', { language: undefined }, 6013, /language/],
    ['outputs, even if they are valid', { outputs: ['video'] }, 6016, /^outputs: .*finished mp4/],
    ['outputs that are empty', { outputs: [] }, 6016, /^outputs/],
    ['a source_path, even if it is valid', { source_path: '/footage/talk.mp4' }, 6016, /^source_path/],
    ['a source_path that is empty', { source_path: '' }, 6016, /^source_path/],
    ['an unknown language', { language: 'de-DE' }, 6017, /language: "de-DE"/],
    ['an unknown output_language', { output_language: 'de-DE' }, 6017, /output_language: "de-DE"/],
    [
      'an unknown language of subtitles',
      { subtitle: { translate_language: 'de-DE' } },
      6017,
      /subtitle\.translate_language: "de-DE"/,
    ],
    [
      'a number as the language of subtitles',
      { subtitle: { translate_language: 5 } },
      6016,
      /subtitle\.translate_language/,
    ],
    [
      'a transcript and subtitles',
      () => ({ stt, subtitle_file_id: ids['lines.srt'] }),
      6016,
      /^stt and subtitle_file_id/,
    ],
    ['no words', { stt: { sentence_tc_list: [hello] } }, 6016, /stt\.word_tc_list/],
    ['no sentences', { stt: { word_tc_list: [hello] } }, 6016, /stt\.sentence_tc_list/],
    ['a probability above 1', { camera_move: { probability: 1.01 } }, 6016, /camera_move\.probability/],
    ['a negative probability', { camera_move: { probability: -0.01 } }, 6016, /camera_move\.probability/],
    ['an amplitude above 0.5', { camera_move: { amplitude: 0.51 } }, 6016, /camera_move\.amplitude/],
    ['a negative amplitude', { camera_move: { amplitude: -0.01 } }, 6016, /camera_move\.amplitude/],
    ['a max_ratio above 1', { camera_move: { max_ratio: 1.01 } }, 6016, /camera_move\.max_ratio/],
    ['a negative max_ratio', { camera_move: { max_ratio: -0.01 } }, 6016, /camera_move\.max_ratio/],
    ['a blur above 100', { camera_move: { blur_sigma: 100.1 } }, 6016, /camera_move\.blur_sigma/],
    ['a negative blur', { camera_move: { blur_sigma: -1 } }, 6016, /camera_move\.blur_sigma/],
    ['a speed below 0.5', { speed: { factor: 0.49 } }, 6016, /speed\.factor/],
    ['a speed above 2', { speed: { factor: 2.01 } }, 6016, /speed\.factor/],
    ['a negative crossfade', { seam: { crossfade_ms: -1 } }, 6016, /seam\.crossfade_ms/],
    ['a crossfade above 500 ms', { seam: { crossfade_ms: 501 } }, 6016, /seam\.crossfade_ms/],
    ['text for enable', { subtitle: { enable: 'yes' } }, 6016, /subtitle\.enable/],
    [
      'text for strip_punctuation',
      { subtitle: { strip_punctuation: 'yes' } },
      6016,
      /subtitle\.strip_punctuation/,
    ],
    ['text for purify_source', { subtitle: { purify_source: 'yes' } }, 6016, /subtitle\.purify_source/],
    ['an unknown orientation', { split_screen: { orientation: 'rl' } }, 6016, /split_screen\.orientation/],
    ['an odd side', { output_size: '1081x1920' }, 6016, /output_size/],
    ['another ratio', { output_size: '4:3' }, 6016, /output_size/],
    ['max_clip_sec 4.9', { duration: { max_clip_sec: 4.9 } }, 6016, /duration\.max_clip_sec/],
    ['max_clip_sec 1801', { duration: { max_clip_sec: 1801 } }, 6016, /duration\.max_clip_sec/],
    [
      'subtitles of another kind',
      () => ({ subtitle_file_id: ids['lines.vtt'] }),
      6014,
      /lines\.vtt is not \.srt or \.ass/,
    ],
    [
      'a video without sound and transcript',
      () => ({ file_id: ids['silent.mp4'] }),
      6014,
      /silent\.mp4 has no sound/,
    ],
    ['sound', () => ({ file_id: ids['sound.wav'] }), 6014, /sound\.wav/],
    ['a still picture', () => ({ file_id: ids['still.png'] }), 6014, /still\.png/],
    ['the file of another account', () => ({ file_id: ids['foreign.mp4'] }), 6004, /./],
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

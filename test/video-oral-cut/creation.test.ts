import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { recognitionLanguages } from '../../src/contract/languages.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type CuttingAccount, openCuttingAccount } from '../service/cutting-account.ts'

// Bounds and errors of section 4.7, 7 and 8 of document 3 that need several fields or files. test/contract has the rest.

const type = 'video_oral_cut'
const folder = await scratchFolder()
let cutting: CuttingAccount
let calls: CuttingAccount['calls']
let ids: CuttingAccount['ids']

beforeAll(async () => {
  cutting = await openCuttingAccount(type, { folder })
  ;({ ids, calls } = cutting)
})
afterAll(() => cutting[Symbol.asyncDispose]())

const smallest = () => ({ file_id: ids['talk.mp4'], source_path: '/footage/talk.mp4' })
const quote = (change: object) => cutting.quote({ ...smallest(), ...change })
const video = { outputs: ['video'], source_path: undefined }

describe('accepted', () => {
  const accepted: readonly (readonly [string, object])[] = [
    ['a script of 10 characters among white space', { script: ' 一二三 四五\t六七\n八九　十 ' }],
    ['a script of 50,000 characters and as much white space', { script: '好 '.repeat(50_000) }],
    ['a script of 10 characters outside the basic plane', { script: '𠮷'.repeat(10) }],
    ['a script that ends with a file name', { script: 'All files are on our page: see notes.txt' }],
    ['a script with a path in its text', { script: '/etc/hosts is a file.\nToday we edit hosts.txt' }],
    ...recognitionLanguages.map((la) => [`la ${la}`, { la }] as const),
    ['a source_path of 1024 characters', { source_path: 'é'.repeat(1024) }],
    ['crf 14 and no crossfade', { ...video, render: { crf: 14, audio_crossfade_ms: 0 } }],
    ['crf 28 and a crossfade of 50 ms', { ...video, render: { crf: 28, audio_crossfade_ms: 50 } }],
    ['render without video, whatever it is', { render: { crf: 99, codec: 'av1' } }],
    [
      'project fields without project, whatever they are',
      { ...video, project_formats: ['edl'], struct_meta: 1 },
    ],
    ['breaks of 0 and 5 s', { punctuation_breaks: { '、': 0, ',': 5, '……': 0, paragraph: 5 } }],
    [
      'other spellings of marks',
      { punctuation_breaks: { '，': 1, '；': 1, '：': 1, '！': 1, '？': 1, '.': 1, '…': 1 } },
    ],
    ['a target just below the default maximum', { intra_gap_target: 0.34 }],
    ['a target just below the maximum of steady', { rhythm_preset: 'steady', intra_gap_target: 0.44 }],
    ['a maximum just above the target of steady', { rhythm_preset: 'steady', intra_gap_max: 0.16 }],
    [
      'a maximum below the default target that compact allows',
      { rhythm_preset: 'compact', intra_gap_max: 0.06 },
    ],
    ['both of the pair', { intra_gap_max: 5, intra_gap_target: 4.9 }],
  ]
  it.each(accepted)('%s', async (_, change) => {
    expect(await quote(change)).toMatchObject({ status: 200, data: { credits: 1 } })
  })
})

describe('rejected', () => {
  const pair = /intra_gap_target [\d.]+ \(.+\) is not less than intra_gap_max/
  const rejected: readonly (readonly [string, object | (() => object), number, RegExp])[] = [
    ['a script of 9 characters', { script: '一二三 四五六 七八九' }, 6016, /script.* 9 characters/],
    ['a script of 50,001 characters', { script: '好'.repeat(50_001) }, 6016, /script.* 50001 characters/],
    ...[
      'script.txt',
      'talk-script.md',
      '/home/ann/Talk script.docx',
      '~/talk.txt',
      './talks/may 2.srt',
      'C:\\Users\\Ann\\My talk.TXT',
      'file:///home/ann/talk.txt',
      '演讲稿.txt',
    ].map(
      (path) =>
        [
          `the path ${path} as the script`,
          { script: path },
          6016,
          /script: .* is the path of a file/,
        ] as const,
    ),
    ['a script of marks', { script: '。'.repeat(20) }, 6016, /script.* no letters or digits/],
    ['an unknown language', { la: 'de-DE' }, 6016, /la/],
    ['no language', { la: '' }, 6016, /la/],
    ['a source_path of 1025 characters', { source_path: 'x'.repeat(1025) }, 6016, /source_path/],
    ['no source_path', { source_path: undefined }, 6016, /source_path: required/],
    [
      'no source_path for both outputs',
      { outputs: ['video', 'project'], source_path: undefined },
      6016,
      /source_path/,
    ],
    ['crf 13', { ...video, render: { crf: 13 } }, 6016, /render\.crf/],
    ['crf 29', { ...video, render: { crf: 29 } }, 6016, /render\.crf/],
    [
      'a crossfade of 51 ms',
      { ...video, render: { audio_crossfade_ms: 51 } },
      6016,
      /render\.audio_crossfade_ms/,
    ],
    ['another codec', { ...video, render: { codec: 'hevc' } }, 6016, /render\.codec/],
    ['a break of 5.1 s', { punctuation_breaks: { '。': 5.1 } }, 6016, /punctuation_breaks/],
    ['a negative break', { punctuation_breaks: { '。': -0.1 } }, 6016, /punctuation_breaks/],
    ['an unknown key', { punctuation_breaks: { '~': 1 } }, 6016, /punctuation_breaks.*~/],
    ['a target as high as the default maximum', { intra_gap_target: 0.35 }, 6016, pair],
    ['a maximum as low as the default target', { intra_gap_max: 0.1 }, 6016, pair],
    [
      'a target above the maximum of compact',
      { rhythm_preset: 'compact', intra_gap_target: 0.3 },
      6016,
      pair,
    ],
    ['a maximum below the target of steady', { rhythm_preset: 'steady', intra_gap_max: 0.15 }, 6016, pair],
    ['a target as high as the given maximum', { intra_gap_max: 1, intra_gap_target: 1 }, 6016, pair],
    ['an unknown preset', { rhythm_preset: 'slow' }, 6016, /rhythm_preset/],
    ['no output', { outputs: [] }, 6016, /outputs/],
    ['an unknown format', { project_formats: ['aaf'] }, 6016, /project_formats/],
    ['a video without sound', () => ({ file_id: ids['silent.mp4'] }), 6014, /silent\.mp4 has no sound/],
    ['sound', () => ({ file_id: ids['sound.wav'] }), 6014, /sound\.wav/],
    ['a still picture', () => ({ file_id: ids['still.png'] }), 6014, /still\.png/],
    ['subtitles', () => ({ file_id: ids['lines.srt'] }), 6014, /lines\.srt/],
    ['the file of another account', () => ({ file_id: ids['foreign.mp4'] }), 6004, /./],
    ['an unknown file', { file_id: '1234567890123456789' }, 6004, /./],
    ['no file', { file_id: undefined }, 6013, /file_id/],
    ['no file in a language without recognition', { file_id: undefined, la: 'es-ES' }, 6013, /file_id/],
  ]
  const statuses: Readonly<Record<number, number>> = { 6004: 404, 6013: 400, 6014: 400, 6016: 400 }
  it.each(rejected)('%s', async (_, change, code, said) => {
    const body = { ...smallest(), ...(typeof change === 'function' ? change() : change) }
    const response = await calls.create(type, body)
    expect(response).toMatchObject({ code, status: statuses[code] })
    expect(response.msg).toMatch(said)
  })

  it.each(['es-ES', 'pt-PT', 'ru-RU', 'vi-VN'])('%s before the file is looked at', async (la) => {
    for (const file_id of ['1234567890123456789', ids['lines.srt'], ids['foreign.mp4'], ids['talk.mp4']])
      expect(await calls.create(type, { ...smallest(), file_id, la })).toMatchObject({
        code: 6015,
        status: 400,
      })
  })
})

test('nothing was charged, and no task exists', async () => {
  expect(await calls.balance()).toBe(10)
  const { data } = await calls.send<{ total: number }>('/task/list')
  expect(data.total).toBe(0)
})

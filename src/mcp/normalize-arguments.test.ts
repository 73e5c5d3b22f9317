import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MediaError } from '../contract/errors.ts'
import { operations } from '../../tools/index.ts'
import { parseColour } from './css-colours.ts'
import { languageHint, offeredLanguage } from './language-names.ts'
import { parseTime } from './near-values.ts'
import { normalizeArguments } from './normalize-arguments.ts'
import { allTools } from './tool-selection.ts'

const byName = new Map(operations.map(({ operation }) => [operation.name, operation]))

function inputOf(name: string) {
  const operation = byName.get(name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return operation.agentForm?.input ?? operation.input
}

const clips = [{ file_id: 'a.mp4' }, { file_id: 'b.mp4' }]

test.each<[string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
  [
    'video_split_screen',
    { clips, ratio: 'landscape' },
    { clips, output_ratio: '16:9' },
    /ratio was read as output_ratio/,
  ],
  [
    'video_split_screen',
    { clips, outputRatio: 'Portrait' },
    { clips, output_ratio: '9:16' },
    /"Portrait" was read as 9:16/,
  ],
  ['video_split_screen', { clips, quality: 1080 }, { clips, quality: '1080p' }, /1080 was read as 1080p/],
  [
    'video_split_screen',
    { clips, colour: 'rebecca purple' },
    { clips, background_color: '#663399' },
    /"rebecca purple" was read as #663399/,
  ],
  ['video_split_screen', { clips: ['a.mp4', 'b.mp4'] }, { clips }, /^$/],
  ...(
    [
      [{ language: 'English' }, { la: 'en-US' }],
      [{ spoken_language: 'fr' }, { la: 'fr-FR' }],
      [{ lang: 'ja-JP' }, { la: 'ja-JP' }],
      [{ formats: ['otio'] }, { project_formats: ['otio'] }],
      [{ format: 'fcpxml' }, { project_formats: ['fcpxml'] }],
      [{ editor: 'DaVinci Resolve' }, { project_formats: ['xml'] }],
      [{ transcript: 'One sentence.' }, { script: 'One sentence.' }],
      [{ text: 'One sentence.' }, { script: 'One sentence.' }],
      [{ rhythm: 'concise' }, { rhythm_preset: 'concise' }],
      [{ pauses: 'compact' }, { rhythm_preset: 'compact' }],
      [{ footage_path: '/a.mp4' }, { source_path: '/a.mp4' }],
      [{ output: ['video'] }, { outputs: ['video'] }],
    ] as const
  ).map(([given, meant]): [string, Record<string, unknown>, Record<string, unknown>, RegExp] => [
    'video_oral_cut',
    { file_id: 'a.mp4', ...given },
    { file_id: 'a.mp4', ...meant },
    new RegExp(`${Object.keys(given)[0]} was read as ${Object.keys(meant)[0]}`),
  ]),
  ...(
    [
      ['Premiere', 'xml'],
      ['adobe premiere pro', 'xml'],
      ['DaVinci Resolve', 'xml'],
      ['Final Cut Pro', 'fcpxml'],
      ['FCPX', 'fcpxml'],
      ['OpenTimelineIO', 'otio'],
      ['XML', 'xml'],
    ] as const
  ).map(([editor, format]): [string, Record<string, unknown>, Record<string, unknown>, RegExp] => [
    'video_oral_cut',
    { file_id: 'a.mp4', project_formats: [editor] },
    { file_id: 'a.mp4', project_formats: [format] },
    editor === 'XML' ? /^$/ : new RegExp(`"${editor}" was read as ${format}`),
  ]),
  [
    'video_split_screen',
    { clips: [{ file: 'a.mp4', start: '1:20' }] },
    { clips: [{ file_id: 'a.mp4', begin_time_ms: 80_000 }] },
    /"1:20" was read as 80000/,
  ],
  [
    'video_split_screen',
    { clips: [{ path: 'a.mp4', end_time: '2.5s' }] },
    { clips: [{ file_id: 'a.mp4', end_time_ms: 2500 }] },
    /2500/,
  ],
  ['video_timeline_render', { clips: ['a.mp4'] }, { clips: [{ material: 'a.mp4' }] }, /^$/],
  [
    'video_timeline_render',
    { clips: [{ file: 'a.mp4', start: '1:20', end: 90 }] },
    { clips: [{ material: 'a.mp4', clip_st: 80, clip_ed: 90 }] },
    /clips\[0\]\.start was read as clip_st/,
  ],
  [
    'video_timeline_render',
    { clips: ['a.mp4'], fps: 29.97, size: '1920x1080' },
    { clips: [{ material: 'a.mp4' }], video_rate: 29.97, video_size: [1920, 1080] },
    /size was read as video_size/,
  ],
  [
    'video_timeline_render',
    { clips: [{ file: 'a.mp4', start_ms: 5000, endSec: '9.5', speed: 1 }], duration_ms: 4500 },
    { clips: [{ material: 'a.mp4', clip_st: 5, clip_ed: 9.5, speed: 1 }], duration: 4.5 },
    /clips\[0\]\.start_ms was read as clip_st: 5000 ms is 5 s\. .*duration_ms was read as duration: 4500 ms is 4\.5 s/,
  ],
  [
    'video_split_screen',
    { clips: [{ file_id: 'a.mp4', start_s: 1.5, end_time_seconds: '2s' }] },
    { clips: [{ file_id: 'a.mp4', begin_time_ms: 1500, end_time_ms: 2000 }] },
    /start_s was read as begin_time_ms: 1\.5 s is 1500 ms/,
  ],
  [
    'video_purify',
    { file_id: 'a.mp4', mode: 'detect' },
    { file_id: 'a.mp4', phase: 'detect' },
    /mode was read/,
  ],
  [
    'video_purify',
    { file_id: 'a.mp4', mode: 'raft' },
    { file_id: 'a.mp4', purify_func_type: 'raft' },
    /mode/,
  ],
  [
    'music_visualizer',
    { audio: 'a.mp3', template: 'Bars', title: 'x', c1: 'orange' },
    { file_id: 'a.mp3', template_id: 'bars', track: 'x', c1: '#ffa500' },
    /"orange" was read as #ffa500/,
  ],
  [
    'music_visualizer',
    { file_id: 'a.mp3', template_id: 'ring', resolution: '1080x1920' },
    { file_id: 'a.mp3', template_id: 'ring', resolution: { width: 1080, height: 1920 } },
    /^$/,
  ],
  [
    'video_purify',
    { video: 'a.mp4', method: 'inpaint' },
    { file_id: 'a.mp4', purify_func_type: 'raft' },
    /"inpaint" was read as raft/,
  ],
  [
    'video_purify',
    { file_id: 'a.mp4', purify_scope: 'Region' },
    { file_id: 'a.mp4', purify_scope: 'region' },
    /^$/,
  ],
  [
    'audio_tts_zero_shot',
    { text: 'x', voice: 'a.wav', language: 'en' },
    { text: 'x', ref_file_id: 'a.wav', text_lang: 'en-US' },
    /"en" was read as en-US/,
  ],
  [
    'subtitle_translate',
    { file: 'a.srt', from: 'English', to: 'zh' },
    { file_id: 'a.srt', language: 'en-US', translate_language: 'zh-CN' },
    /"zh" was read as zh-CN/,
  ],
  [
    'subtitle_translate',
    { file_id: 'a.srt', subtitle_color: 'orange' },
    { file_id: 'a.srt', subtitle_color: '深橙' },
    /"orange" was read as 深橙/,
  ],
  [
    'subtitle_translate',
    { file_id: 'a.srt', subtitle_color: 'dark_orange' },
    { file_id: 'a.srt', subtitle_color: '深橙' },
    /^$/,
  ],
])('%s: %j', (name, given, args, note) => {
  const read = normalizeArguments(inputOf(name), given)
  expect(read.args).toEqual(args)
  expect(read.assumed.join(' ')).toMatch(note)
})

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'video_split_screen',
    { clips: [{ file_id: 'a.mp4', start: 1 }] },
    /Did you mean begin_time_ms \(Start inside the video, ms\)\?/,
  ],
  ['video_split_screen', { clips, ratio: 5 }, /Did you mean output_ratio/],
  [
    'video_timeline_render',
    { clips: ['a.mp4'], audio: [{ material: 'b.mp3', volume_db: 3 }] },
    /Did you mean volume \(/,
  ],
  ['video_timeline_render', { clips: [{ material: 'a.mp4', start_frames: 50 }] }, /Did you mean clip_st/],
  [
    'video_timeline_render',
    { clips: ['a.mp4'], audio: [{ material: 'b.mp3', start: 5 }] },
    /^Use clip_st or track_st\./,
  ],
  ['video_timeline_render', { audio: [{ material: 'b.mp3', from_ms: 5 }] }, /^Use clip_st or track_st\./],
  ['video_timeline_render', { clips: ['a.mp4'], resize: '16:9' }, /Expected here/],
  ['video_purify', { file_id: 'a.mp4', sharpness: 3 }, /^Expected here: file_id, phase/],
])('%s: %j is not guessed', (name, given, hint) => {
  const read = () => normalizeArguments(inputOf(name), given)
  expect(read).toThrow(expect.objectContaining({ code: 6016, hint: expect.stringMatching(hint) }))
})

test('the arguments of all examples are read unchanged', () => {
  for (const { operation } of operations) {
    for (const { input } of operation.examples) {
      expect(normalizeArguments(operation.input, input)).toEqual({ args: input, assumed: [] })
    }
  }
})

test('for any arguments, a tool reads them or reports 6016, and reading twice changes nothing', () => {
  const tools = [...allTools([...byName.values()]).keys()].filter((name) => byName.has(name))
  fc.assert(
    fc.property(fc.constantFrom(...tools), fc.dictionary(fc.string(), fc.jsonValue()), (name, given) => {
      try {
        const { args } = normalizeArguments(inputOf(name), given)
        expect(normalizeArguments(inputOf(name), args)).toEqual({ args, assumed: [] })
      } catch (error) {
        expect(error).toMatchObject({ code: 6016 } satisfies Partial<MediaError>)
      }
    }),
  )
})

describe('values', () => {
  test.each([
    ['1:20', 80],
    ['0:01:20.5', 80.5],
    ['90 s', 90],
    ['1m20s', 80],
    ['2 min', 120],
    ['500ms', 0.5],
    ['1h', 3600],
    ['1:99', undefined],
    ['1,500 ms', undefined],
    ['1,5 s', 1.5],
    ['00:00:01,500', 1.5],
    ['soon', undefined],
    ['', undefined],
  ])('the time %j', (text, seconds) => {
    expect(parseTime(text)).toBe(seconds)
  })

  test.each([
    ['Purple', '#800080'],
    ['light-blue', '#add8e6'],
    ['#abc', '#aabbcc'],
    ['FFAA00', '#ffaa00'],
    ['rgb(255, 0, 10)', '#ff000a'],
    ['rgb(256,0,0)', undefined],
    ['blurple', undefined],
    ['constructor', undefined],
  ])('the colour %j', (text, hex) => {
    expect(parseColour(text)).toBe(hex)
  })

  const voices = ['zh-CN', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR', 'zh-CHS', 'zh-CHT']
  test.each([
    ['en', 'en-US'],
    ['EN_us', 'en-US'],
    ['Japanese', 'ja-JP'],
    ['Cantonese', 'zh-HK'],
    ['zh-TW', 'zh-CHT'],
    ['en-GB', undefined],
    ['German', undefined],
    ['es-ES', undefined],
    ['Spanish', undefined],
  ])('the language %j', (text, code) => {
    expect(offeredLanguage(text, voices)).toBe(code)
  })

  test('a language that is not offered is named plainly, without a substitute', () => {
    expect(languageHint('German', voices)).toMatch(
      /^German is not offered, so tell the user\. Offered: zh-CN \(Chinese\)/,
    )
    expect(languageHint('es-ES', voices)).toMatch(/^Spanish is not offered/)
    expect(languageHint('en-GB', voices)).toMatch(
      /^en-GB is not offered.* only en-US is offered; it may differ\./,
    )
    expect(languageHint('x', voices)).toMatch(/^Use one of zh-CN/)
  })
})

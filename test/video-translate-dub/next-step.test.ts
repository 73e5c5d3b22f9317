import { expect, test } from 'vitest'
import type { DoubtfulLine } from '../../tools/video-translate-dub/doubts.ts'
import { describeDub } from '../../tools/video-translate-dub/next-step.ts'

const context = { nameFile: (id: string) => `/w/${id}`, input: {} }
const line = (index: number, ...reasons: DoubtfulLine['reasons']): DoubtfulLine => ({
  ...{ index, st_ms: 1250 * index, ed_ms: 1250 * index + 1000, reasons },
})
const result = (changes: object = {}, doubtful_lines: readonly DoubtfulLine[] = []) => ({
  report: {
    ...({ target_lang: 'en-US', input_kind: 'video', fit_policy: 'strict' } as const),
    ...{ lines_count: 9, output_duration_ms: 61_400, doubtful_lines },
  },
  ...{
    errors: {},
    files: [],
    output_file_id: 'out.mp4',
    dub_audio_file_id: 'dub-2.wav',
    transcript_file_id: 'lines.json',
    ...changes,
  },
})

test('a good dub is only looked at', () => {
  expect(describeDub(result(), context)).toBe(
    '9 lines in en-US, 61 s. To check it, call inspect_file with file "/w/out.mp4" and preview waveform. ' +
      'Tell the user the path, and to label what is published as AI-generated.',
  )
})

test('the worst of many doubtful lines are named, with their times and what helps', () => {
  const lines = [
    line(1, 'rewritten_twice'),
    line(2, 'trimmed'),
    line(3, 'over_band', 'rewritten_twice'),
    line(4, 'words_added'),
    line(5, 'words_lost'),
    line(6, 'untranslated'),
  ]
  const text = describeDub(result({ errors: { bgm: 'the separator failed' } }, lines), context)
  expect(text).toContain(
    'Check the lines at 7.5 s (silent: no translation), 3.8 s (its end is cut off, rewritten twice to fit), ' +
      '6.3 s (words may be missing), 5.0 s (other words were heard, such as a repetition), and 2 more: ' +
      'call inspect_file with file "/w/out.mp4" and preview waveform, and their texts in "/w/lines.json".',
  )
  expect(text).toContain(
    'a wider speed_band, such as [0.95, 1.3], or fit_policy natural gives them more time.',
  )
  expect(text).toContain('Failed: bgm: the separator failed.')
})

test('without the record and with projects', () => {
  const file = {
    ...({ type: 'project', format: 'xml', file_id: '5', download_url: '/5' } as const),
    filename: 'talk.xml',
  }
  const dub = result({ transcript_file_id: '', files: [file] }, [line(1, 'trimmed')])
  const input = { source_path: '/m/talk.mp4', local_output_dir: '/m/dub' }
  for (const known of [input, undefined]) {
    const text = describeDub(dub, { ...context, input: known })
    expect(text).not.toContain('their texts')
    // The first dub in that folder is dub.wav.
    expect(text).toContain(
      'in local_output_dir under these names: save "/w/dub-2.wav" as dub.wav there, or link it in the editor',
    )
  }
  const { source_path, local_output_dir } = input
  const withoutFolder = describeDub(dub, { ...context, input: { source_path } })
  expect(withoutFolder).toContain(
    'local_output_dir was not given: link "/w/dub-2.wav" as dub.wav in the editor',
  )
  expect(withoutFolder).not.toContain('no path of the video')
  const withoutSource = { ...context, input: { local_output_dir } }
  expect(describeDub(dub, withoutSource)).toContain('no path of the video, as source_path was not given')
  // Projects with held frames show base.mp4 instead of the source.
  const held = describeDub({ ...dub, bgm_audio_file_id: 'bgm.wav', base_video_file_id: '6' }, withoutSource)
  expect(held).not.toContain('no path of the video')
  expect(held).toContain('save "/w/dub-2.wav" as dub.wav, "/w/bgm.wav" as bgm.wav, "/w/6" as base.mp4 there')
})

test('files that are in the folder of the projects stay there', () => {
  const file = {
    ...({ type: 'project', format: 'xml', file_id: '5', download_url: '/5' } as const),
    filename: 'talk.xml',
  }
  const input = { source_path: '/m/talk.mp4', local_output_dir: '/w' }
  const dub = result({ files: [file], dub_audio_file_id: 'dub.wav', bgm_audio_file_id: 'bgm-2.wav' })
  const text = describeDub(dub, { ...context, input })
  expect(text).toContain('save "/w/bgm-2.wav" as bgm.wav there, or link it in the editor if that name is')
  const first = describeDub({ ...dub, bgm_audio_file_id: 'bgm.wav' }, { ...context, input })
  expect(first).toContain('The projects play dub.wav, bgm.wav in local_output_dir, where they are.')
})

test('only what can give lines more time is proposed', () => {
  const propose = (changes: object, reason: DoubtfulLine['reasons'][number], speed_band?: number[]) => {
    const { report, ...dub } = result({}, [line(1, reason)])
    return describeDub({ ...dub, report: { ...report, ...changes } }, { ...context, input: { speed_band } })
  }
  const audio = { input_kind: 'audio' }
  expect(propose(audio, 'trimmed')).not.toContain('natural')
  expect(propose(audio, 'trimmed')).toContain('If words are lost, a wider speed_band')
  expect(propose({ fit_policy: 'natural' }, 'over_band')).not.toContain('fit_policy')
  expect(propose({}, 'over_band', [0.9, 1.3])).toContain('If words are lost, fit_policy natural')
  expect(propose(audio, 'over_band', [0.9, 1.3])).toContain('needs shorter translations')
  for (const reason of ['unspoken', 'words_added'] as const)
    expect(propose({}, reason)).not.toContain('more time')
})

import { expect, test } from 'vitest'
import { findResultFiles } from './file-delivery.ts'

const url = '/base/file/1/download'

test.each([
  [
    'one result',
    { file_id: '1', download_url: url, duration_ms: 2500 },
    [{ file_id: '1', role: 'result', duration: 2.5 }],
  ],
  ['only a file id at the top level', { file_id: '1' }, [{ file_id: '1', role: 'result' }]],
  [
    'several results, by role',
    { file_id: '1', download_url: url, midi_file_id: '2', midi_download_url: url },
    [
      { file_id: '1', role: 'result' },
      { file_id: '2', role: 'midi' },
    ],
  ],
  [
    'a download URL named like its id; an empty id is skipped',
    {
      subtitle_file_id: '3',
      subtitle_file_download_url: url,
      bgm_audio_file_id: '',
      bgm_audio_file_download_url: '',
    },
    [{ file_id: '3', role: 'subtitle' }],
  ],
  [
    'repeated input ids are not results',
    {
      file_id: '1',
      download_url: url,
      source_file_id: '7',
      layout: { slots: [{ file_id: '8', begin_time_ms: 0 }] },
    },
    [{ file_id: '1', role: 'result' }],
  ],
  [
    'a list of results',
    {
      clips: [
        { file_id: '1', download_url: url },
        { file_id: '2', download_url: url },
      ],
    },
    [
      { file_id: '1', role: 'result' },
      { file_id: '2', role: 'result' },
    ],
  ],
  [
    'the files of each object of a list',
    {
      clips: [
        { title: 'x', files: [{ file_id: '1', download_url: url, duration: 3 }] },
        {
          title: 'y',
          files: [{ file_id: '2', download_url: url }],
          file: { file_id: '3', download_url: url },
        },
      ],
      report: { split: [{ file_id: '4', download_url: url }], inputs: [{ file_id: '9' }] },
    },
    [
      { file_id: '1', role: 'result', duration: 3 },
      { file_id: '2', role: 'result' },
      { file_id: '3', role: 'result' },
      { file_id: '4', role: 'result' },
    ],
  ],
  ['no result', { text: 'x', file_id: null, list: [null, 1] }, []],
])('finds the files of an output: %s', (_name, output, expected) => {
  expect(findResultFiles(output)).toEqual(expected)
})

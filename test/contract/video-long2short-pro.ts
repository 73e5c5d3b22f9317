import type { OperationTables } from './tables.ts'
import { videoLong2short } from './video-long2short.ts'

/** Rows of 4.8 that 4.9 refers to. */
const sharedFields = new Set([
  ...['file_id', 'language', 'output_language', 'stt', 'subtitle_file_id', 'main_topic'],
  ...['output_size', 'jump_cut', 'duration'],
])

const word = { text: 'Hello.', start_time: 0.5, end_time: 1 }
const stt = { word_tc_list: [word], sentence_tc_list: [word] }

/** Document 3, 4.9, 7 and 8. */
export const videoLong2shortPro: OperationTables = {
  section: '3, 4.9',
  operation: 'video_long2short_pro',
  smallest: { file_id: '1', language: 'en-US' },
  parameters: [
    ...videoLong2short.parameters.filter(({ at }) => sharedFields.has(at)),
    {
      at: 'split_screen',
      type: 'object',
      required: false,
      standard: { enable: false, orientation: 'auto' },
      accepts: [{}, { enable: true }, { orientation: 'tb' }, { enable: true, orientation: 'lr' }],
      refuses: [{ enable: 'yes' }, { orientation: 'rl' }, true],
    },
    {
      at: 'camera_move',
      type: 'object',
      required: false,
      standard: { enable: true, probability: 0.35, amplitude: 0.08, max_ratio: 0.5, blur_sigma: 40 },
      accepts: [
        {},
        { enable: false },
        { probability: 0, amplitude: 0, max_ratio: 0, blur_sigma: 0 },
        { probability: 1, amplitude: 0.5, max_ratio: 1, blur_sigma: 100 },
      ],
      refuses: [
        ...[{ enable: 1 }, { probability: -0.01 }, { probability: 1.01 }, { amplitude: -0.01 }, false],
        ...[{ amplitude: 0.51 }, { max_ratio: -0.01 }, { max_ratio: 1.01 }, { blur_sigma: -1 }],
        ...[{ blur_sigma: 100.1 }, { blur_sigma: '40' }],
      ],
    },
    {
      at: 'speed',
      type: 'object',
      required: false,
      standard: { factor: 1 },
      accepts: [{}, { factor: 0.5 }, { factor: 1.25 }, { factor: 2 }],
      refuses: [{ factor: 0.49 }, { factor: 2.01 }, { factor: '1' }, 1],
    },
    {
      at: 'seam',
      type: 'object',
      required: false,
      standard: { crossfade_ms: 30 },
      accepts: [{}, { crossfade_ms: 0 }, { crossfade_ms: 500 }],
      refuses: [{ crossfade_ms: -1 }, { crossfade_ms: 501 }, { crossfade_ms: '30' }, 30],
    },
    {
      at: 'subtitle',
      type: 'object',
      required: false,
      standard: { enable: true, purify_source: false, strip_punctuation: true },
      accepts: [
        {},
        { enable: false },
        { translate_language: 'zh-CN' },
        { translate_language: 'es-ES', purify_source: true, strip_punctuation: false },
      ],
      refuses: [
        { enable: 'yes' },
        { translate_language: 5 },
        { purify_source: 1 },
        { strip_punctuation: 'no' },
        'x',
      ],
    },
  ],
  together: [
    { because: 'there is one transcript', change: { stt, subtitle_file_id: '1' } },
    { because: 'outputs are not accepted', change: { outputs: ['video'] } },
    { because: 'a source_path is not accepted', change: { source_path: '/footage/podcast.mp4' } },
  ],
  refusals: videoLong2short.refusals,
  damaged: videoLong2short.damaged,
  result: { clips: 'array', report: 'object', errors: 'object' },
  resultAdditions: { notes: 'array, optional' },
  resultParts: {
    'clips.0': {
      ...{ title: 'string', summary: 'string', tags: 'array', score: 'number', score_reason: 'string' },
      ...{ highlight_words: 'array', genres: 'array', moods: 'array', themes: 'array', file: 'object' },
      ...{ source_start: 'number', source_end: 'number' },
    },
    'clips.0.highlight_words.0': { text: 'string', begin_time: 'number', end_time: 'number' },
    'clips.0.file': {
      ...{ type: 'string', format: 'string', file_id: 'string', download_url: 'string', filename: 'string' },
      duration: 'number, optional',
    },
    report: {
      ...{ unit_count: 'integer', selected_count: 'integer', clip_count: 'integer' },
      ...{ jump_cut: 'boolean', jumpcut_used: 'boolean', degraded: 'boolean', degraded_items: 'object' },
    },
    errors: {
      ...{ selection: 'string, optional', camera: 'string, optional', speed: 'string, optional' },
      ...{ seam: 'string, optional', split: 'string, optional', subtitle: 'string, optional' },
    },
  },
  created: {},
}

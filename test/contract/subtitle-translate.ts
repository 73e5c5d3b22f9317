import type { OperationTables } from './tables.ts'

const languages = [
  ...['zh-CHT', 'zh-CHS', 'zh-CN', 'ja-JP', 'en-US', 'es-ES', 'ru-RU', 'ko-KR', 'fr-FR', 'pt-PT', 'vi-VN'],
]
const looks = [
  ...['default', 'outline', 'cinema_yellow', 'immersive_box', 'wide_spacing', 'deep_shadow', 'boxed'],
]
const colours = [
  ...['雅黑', '淡绿', '森林绿', '湖蓝', '道奇蓝', '钢蓝', '浅粉红', '深橙', '珊瑚橙', '橙红', '土豪金'],
]
const ass = { output_format: 'ass' }

/**
 * Document 3, 4.10, 7 and 8. What only ass output has is not filled in: its presence counts. The canvas of an .ass is
 * what it is read as without video_size, so that is not filled in either.
 */
export const subtitleTranslate: OperationTables = {
  section: '3, 4.10',
  operation: 'subtitle_translate',
  smallest: { file_id: '1', language: 'en-US', translate_language: 'fr-FR' },
  parameters: [
    { at: 'file_id', type: 'string', required: true, refuses: [12_345, ''] },
    {
      at: 'language',
      type: 'string',
      required: true,
      values: languages,
      accepts: languages.filter((language) => language !== 'fr-FR'),
      refuses: ['en', 'de-DE', 'ko-FR', 'auto', 'fr-FR'],
    },
    {
      at: 'translate_language',
      type: 'string',
      required: true,
      values: languages,
      accepts: languages.filter((language) => language !== 'en-US'),
      refuses: ['zh', 'zh-HK', 'pt-BR', 'en-US'],
    },
    {
      at: 'output_format',
      type: 'string',
      required: false,
      values: ['ass', 'srt'],
      refuses: ['vtt', 'ASS', ''],
    },
    {
      at: 'line_mode',
      type: 'string',
      required: false,
      standard: 'resegment',
      values: ['resegment', 'keep'],
      refuses: ['merge'],
    },
    {
      at: 'lingual_type',
      type: 'string',
      required: false,
      with: ass,
      values: ['monolingual', 'bilingual'],
      refuses: ['both'],
    },
    { at: 'subtitle_type', type: 'string', required: false, with: ass, values: looks, refuses: ['bold', ''] },
    {
      at: 'subtitle_color',
      type: 'string',
      required: false,
      with: ass,
      values: colours,
      refuses: ['red', '#ffffff'],
    },
    {
      at: 'video_size',
      type: 'array',
      required: false,
      accepts: [
        [1920, 1080],
        [1080, 1920],
      ],
      refuses: [[], [1920], [1920, 1080, 1], [0, 1080], [1920.5, 1080], ['1920', '1080'], [-16, 16]],
    },
    {
      at: 'strip_punctuation',
      type: 'boolean',
      required: false,
      standard: true,
      accepts: [false],
      refuses: ['no'],
    },
  ],
  together: [
    { because: 'srt has no look', change: { output_format: 'srt', subtitle_type: 'default' } },
    { because: 'srt has no colours', change: { output_format: 'srt', subtitle_color: '雅黑' } },
    { because: 'srt is of one language', change: { output_format: 'srt', lingual_type: 'monolingual' } },
    { because: 'srt follows from the file', change: { lingual_type: 'bilingual' } },
    { because: 'the file is in that language', change: { language: 'zh-CN', translate_language: 'zh-CHS' } },
  ],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6014, status: 400 },
    { code: 6016, status: 400 },
    { code: 5202, status: 404 },
    { code: 6502, status: 401 },
    { code: 6201, status: 402 },
  ],
  damaged: { file: 'damaged.srt', randomBytes: 6016, truncated: 'accepted', withoutFrames: 6016 },
  result: {
    subtitle_file_id: 'string',
    subtitle_file_download_url: 'string',
    output_format: 'string',
    line_mode: 'string',
    stats: 'object',
    degraded: 'object',
  },
  resultAdditions: { translator: 'string', untranslated_lines: 'integer', notes: 'array, optional' },
  resultParts: {
    stats: { input_lines: 'integer', output_lines: 'integer', skipped_total: 'integer' },
    degraded: { summary: 'boolean', width_budget: 'boolean', translation: 'boolean' },
  },
  created: {},
}

import type { OperationTables } from './tables.ts'

const voiceLanguages = ['zh-CN', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR']
// Section 2.2: treated as zh-CN.
const languages = [...voiceLanguages, 'zh-CHS', 'zh-CHT']
const srt = { subtitle_format: 'srt' }

/** Document 3, 4.4, 7 and 8. */
export const audioTtsZeroShot: OperationTables = {
  section: '3, 4.4',
  operation: 'audio_tts_zero_shot',
  smallest: { text: '你好。', ref_file_id: '1' },
  parameters: [
    {
      at: 'text',
      type: 'string',
      required: true,
      accepts: ['a', '好'.repeat(5000), `a${'😀'.repeat(4999)}`],
      refuses: ['', ' \n', '。……!', '好'.repeat(5001)],
    },
    { at: 'ref_file_id', type: 'string', required: true, refuses: [12_345, ''] },
    { at: 'ref_text', type: 'string', required: false, accepts: ['what is said'], refuses: ['', ' ', '。'] },
    {
      at: 'ref_lang',
      type: 'string',
      required: false,
      values: languages,
      refuses: ['fr-FR', 'zh', 'zh-cn', ''],
    },
    {
      at: 'text_lang',
      type: 'string',
      required: false,
      standard: 'zh-CN',
      values: languages,
      refuses: ['fr-FR', 'en', 'EN-US', ''],
    },
    {
      at: 'output_format',
      type: 'string',
      required: false,
      standard: 'wav',
      values: ['wav', 'mp3'],
      refuses: ['flac', 'WAV', ''],
    },
    {
      at: 'speed',
      type: 'number',
      required: false,
      standard: 1,
      accepts: [0.5, 1.25, 2],
      refuses: [0.49, 2.01, 0, -1, '1'],
    },
    {
      at: 'fragment_interval',
      type: 'number',
      required: false,
      accepts: [0.05, 0.3, 1],
      refuses: [0.04, 1.01, 0, '0.3'],
    },
    {
      at: 'subtitle_format',
      type: 'string',
      required: false,
      values: ['srt'],
      refuses: ['ass', 'SRT', ''],
    },
    {
      at: 'canvas',
      type: 'array',
      required: false,
      with: srt,
      accepts: [
        [1080, 1920],
        [16, 4096],
      ],
      refuses: [[], [1080], [1080, 1920, 3], [1080, '1920'], [15, 1920], [1080, 4097], [1080.5, 1920]],
    },
    { at: 'strip_punctuation', type: 'boolean', required: false, with: srt, accepts: [true, false] },
  ],
  together: [
    { because: 'canvas needs subtitle_format', change: { canvas: [1080, 1920] } },
    { because: 'strip_punctuation needs subtitle_format', change: { strip_punctuation: false } },
  ],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6014, status: 400 },
    { code: 6004, status: 404 },
    { code: 6502, status: 401 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
  ],
  damaged: { file: 'damaged.wav', randomBytes: 6014, truncated: 'accepted', withoutFrames: 6014 },
  result: {
    file_id: 'string',
    download_url: 'string',
    speaker: 'string',
    voice_id: 'string',
    engine: 'string',
    sample_rate: 'integer',
    duration_ms: 'integer',
    segments_source: 'string',
    segments: 'array, optional',
    subtitle_file_id: 'string, optional',
    subtitle_file_download_url: 'string, optional',
    errors: 'object, optional',
    report: 'object',
  },
  resultAdditions: { notes: 'array, optional' },
  resultParts: {
    'segments.0': { index: 'integer', text: 'string', start_ms: 'integer', end_ms: 'integer' },
    'report.ref': {
      span_ms: 'array',
      separated: 'boolean',
      gain_db: 'number',
      text_source: 'string',
      asr_confidence: 'number or null',
      // Our additions: the contract wants the choice of engines named in results.
      recogniser: 'string or null',
      separator: 'string or null',
      ref_text: 'string',
      ref_lang: 'string',
    },
  },
  created: {},
}

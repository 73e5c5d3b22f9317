import type { OperationTables } from './tables.ts'

const clips = (count: number) => Array.from({ length: count }, () => ({ file_id: '1' }))
const whole = { x: 0, y: 0, width: 1, height: 1 }

/** Document 2, 4.8, 2.3b, 7 and 8. */
export const videoSplitScreen: OperationTables = {
  section: '2, 4.8',
  operation: 'video_split_screen',
  smallest: { clips: clips(2) },
  parameters: [
    {
      at: 'clips',
      type: 'array',
      required: true,
      accepts: [clips(2), clips(16)],
      refuses: [[], clips(1), clips(17)],
    },
    { at: 'clips.0.file_id', type: 'string', required: true, refuses: [12_345, ''] },
    {
      at: 'clips.0.begin_time_ms',
      type: 'integer',
      required: false,
      standard: 0,
      accepts: [0, 1, 60_000],
      refuses: [-1, 0.5, '0'],
    },
    {
      at: 'clips.0.end_time_ms',
      type: 'integer',
      required: false,
      accepts: [0, 1, 60_000],
      refuses: [-1, 0.5, '0'],
    },
    {
      at: 'clips.0.crop',
      type: 'object',
      required: false,
      accepts: [whole, { x: 0.5, y: 0.5, width: 0.5, height: 0.5 }],
      refuses: [
        {},
        { ...whole, x: -0.1 },
        { ...whole, x: 0.1 },
        { ...whole, height: 1.1 },
        { ...whole, width: 0 },
        { ...whole, y: '0' },
      ],
    },
    {
      at: 'layout_mode',
      type: 'string',
      required: false,
      standard: 'auto',
      values: ['auto', 'template'],
      // template is only accepted with a layout_id.
      accepts: ['auto'],
    },
    // Accepted with layout_mode template alone (docs/contract.md).
    { at: 'layout_id', type: 'integer', required: false, refuses: [1.5, '1', -1] },
    {
      at: 'random_seed',
      type: 'integer',
      required: false,
      accepts: [0, 2_147_483_647],
      refuses: [-1, 2_147_483_648, 0.5],
    },
    {
      at: 'output_ratio',
      type: 'string',
      required: false,
      standard: '9:16',
      values: ['9:16', '16:9', '1:1'],
    },
    { at: 'quality', type: 'string', required: false, standard: '1080p', values: ['720p', '1080p'] },
    { at: 'fit_mode', type: 'string', required: false, standard: 'cover', values: ['cover', 'contain'] },
    { at: 'duration_mode', type: 'string', required: false, standard: 'shortest', values: ['shortest'] },
    {
      at: 'audio_mode',
      type: 'string',
      required: false,
      standard: 'first',
      values: ['first', 'mix', 'mute'],
    },
    {
      at: 'gap_ratio',
      type: 'number',
      required: false,
      standard: 0.008,
      accepts: [0, 0.008, 0.05],
      refuses: [-0.001, 0.051, '0.01'],
    },
    {
      at: 'background_color',
      type: 'string',
      required: false,
      standard: '#000000',
      accepts: ['#ffFFff', '#012345'],
      refuses: ['black', '#fff', '#0000000', '000000'],
    },
  ],
  together: [
    { because: 'template needs a layout_id', change: { layout_mode: 'template' } },
    { because: 'auto, the default, reads no layout_id', change: { layout_id: 200_100 } },
    { because: 'auto reads no layout_id', change: { layout_mode: 'auto', layout_id: 200_100 } },
    {
      because: 'the layout must have as many slots as there are clips',
      change: { layout_mode: 'template', layout_id: 2_147_483_647 },
    },
  ],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6004, status: 404 },
    { code: 6014, status: 400 },
    { code: 6502, status: 401 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
  ],
  damaged: { file: 'damaged.mp4', randomBytes: 6014, truncated: 6021, withoutFrames: 6021 },
  result: {
    version: 'string',
    file_id: 'string',
    download_url: 'string',
    duration_ms: 'integer',
    width: 'integer',
    height: 'integer',
    layout: 'object',
  },
  resultAdditions: { notes: 'array, optional' },
  resultParts: {
    layout: {
      layout_id: 'integer',
      equivalence_key: 'string',
      random_seed: 'integer',
      slots: 'array',
    },
    'layout.slots.0': {
      slot_index: 'integer',
      clip_index: 'integer',
      file_id: 'string',
      begin_time_ms: 'integer',
      end_time_ms: 'integer',
      source_crop: 'object',
      destination_rect: 'object',
      fit_mode: 'string',
    },
    'layout.slots.0.source_crop': { x: 'number', y: 'number', width: 'number', height: 'number' },
    'layout.slots.0.destination_rect': { x: 'number', y: 'number', width: 'number', height: 'number' },
  },
  created: {
    estimated_duration: 'number',
    estimated_queue_wait_duration: 'number',
    estimated_total_duration: 'number',
  },
}

/** Document 2, 4.8: width and height of the result by shape and quality. */
export const outputSizes = {
  '9:16': { '720p': [720, 1280], '1080p': [1080, 1920] },
  '16:9': { '720p': [1280, 720], '1080p': [1920, 1080] },
  '1:1': { '720p': [720, 720], '1080p': [1080, 1080] },
} as const

import type { OperationTables } from './tables.ts'

const track = { type: 'video', asset: 'base', track_index: 0, start: 0 }
const beat = { start: 0, duration: 1, track_index: 1, html: '<template></template>' }
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...track, start: index * 10, duration: 1 }))

/** Document 2, 4.4, 7 and 8. */
export const htmlRenderSimple: OperationTables = {
  section: '2, 4.4',
  operation: 'html_render_simple',
  // beats is optional; the rows of its entries need one.
  smallest: {
    composition: {
      video_size: { width: 640, height: 360 },
      assets: { file_id: { base: '1' } },
      tracks: [track],
      beats: [beat],
    },
    render: {},
  },
  parameters: [
    { at: 'composition', type: 'object', required: true, refuses: [{}] },
    {
      at: 'composition.video_size',
      type: 'object',
      required: true,
      accepts: [
        { width: 16, height: 16 },
        { width: 4096, height: 4096 },
      ],
      refuses: [{}, { width: 640 }, { width: 15, height: 360 }, { width: 641, height: 360 }],
    },
    { at: 'composition.video_size.width', type: 'integer', required: true, refuses: [14, 4098, 640.5] },
    { at: 'composition.video_size.height', type: 'integer', required: true, refuses: [14, 4098, 360.5] },
    {
      at: 'composition.fps',
      type: 'number',
      required: false,
      standard: 30,
      accepts: [1, 23.976, 60, 120],
      refuses: [0, -1, 121],
    },
    {
      at: 'composition.duration',
      type: 'number',
      required: false,
      accepts: [0.1, 21_600],
      refuses: [0, -1, 21_601],
    },
    { at: 'composition.assets', type: 'object', required: true, refuses: [{}] },
    {
      at: 'composition.assets.file_id',
      type: 'object',
      required: true,
      refuses: [{}, { base: 1 }, { base: '' }, { other: '1' }],
    },
    {
      at: 'composition.tracks',
      type: 'array',
      required: true,
      accepts: [many(1), many(199)],
      // An mp4, the default, needs one; together with the one particle there are too many.
      refuses: [[], many(200)],
    },
    {
      at: 'composition.tracks.0.type',
      type: 'string',
      required: true,
      accepts: ['video', 'audio'],
      refuses: ['image'],
    },
    { at: 'composition.tracks.0.asset', type: 'string', required: true, refuses: ['', 'unknown'] },
    {
      at: 'composition.tracks.0.track_index',
      type: 'number',
      required: true,
      accepts: [-1, 0, 1.5],
    },
    { at: 'composition.tracks.0.start', type: 'number', required: true, accepts: [0, 1.5], refuses: [-0.1] },
    {
      at: 'composition.tracks.0.duration',
      type: 'number',
      required: false,
      accepts: [0.1],
      refuses: [0, -1],
    },
    {
      at: 'composition.tracks.0.muted',
      type: 'boolean',
      required: false,
      standard: true,
      accepts: [true, false],
    },
    {
      at: 'composition.tracks.0.volume',
      type: 'number',
      required: false,
      standard: 1,
      accepts: [0, 1, 2],
      refuses: [-0.1],
    },
    {
      at: 'composition.beats',
      type: 'array',
      required: false,
      accepts: [
        [],
        [beat],
        [
          { ...beat, id: 'a' },
          { ...beat, id: 'b' },
        ],
      ],
      refuses: [
        [
          { ...beat, id: 'a' },
          { ...beat, id: 'a' },
        ],
        [{ ...beat, html: undefined }],
        [{ ...beat, html_asset: 'base' }],
      ],
    },
    { at: 'composition.beats.0.id', type: 'string', required: false, accepts: ['title'], refuses: [''] },
    { at: 'composition.beats.0.start', type: 'number', required: true, accepts: [0, 0.5], refuses: [-0.1] },
    {
      at: 'composition.beats.0.duration',
      type: 'number',
      required: true,
      accepts: [0.1],
      refuses: [0, -1],
    },
    { at: 'composition.beats.0.track_index', type: 'number', required: true, accepts: [-1, 0, 1.5] },
    {
      at: 'composition.beats.0.opaque',
      type: 'boolean',
      required: false,
      standard: false,
      accepts: [true, false],
    },
    // Exactly one of html and html_asset: the other is in the smallest request.
    { at: 'composition.beats.0.html_asset', type: 'string', required: false, refuses: ['unknown', 'base'] },
    { at: 'render', type: 'object', required: false, standard: { quality: 'high', output_format: 'mp4' } },
    { at: 'render.fps', type: 'number', required: false, accepts: [1, 29.97, 120], refuses: [0, 121] },
    {
      at: 'render.quality',
      type: 'string',
      required: false,
      standard: 'high',
      values: ['draft', 'standard', 'high'],
    },
    {
      at: 'render.output_format',
      type: 'string',
      required: false,
      standard: 'mp4',
      values: ['mp4', 'webm', 'qtrle'],
      refuses: ['mov', 'gif', 'MP4'],
    },
  ],
  together: [
    {
      because: 'a transparent layer needs a particle',
      change: {
        composition: {
          video_size: { width: 640, height: 360 },
          assets: { file_id: { base: '1' } },
          tracks: [track],
        },
        render: { output_format: 'webm' },
      },
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
  result: { file_id: 'string', download_url: 'string', duration: 'number', video_size: 'object' },
  resultAdditions: { notes: 'array, optional' },
  resultParts: { video_size: { width: 'integer', height: 'integer' } },
  created: {
    estimated_duration: 'number',
    estimated_queue_wait_duration: 'number',
    estimated_total_duration: 'number',
  },
}

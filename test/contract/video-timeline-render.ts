import type { OperationTables } from './tables.ts'

const clip = { clip_id: 'a', material: '1', clip_st: 0, clip_ed: 1, track_st: 0, track_ed: 1, duration: 1 }
const gap = { clip_id: '', track_st: 0, track_ed: 1, duration: 1 }
const row = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...clip, track_st: at, track_ed: at + 1 }))
const video = { track_index: 0, track_timeline: [clip] }
const first = 'video_track.0.track_timeline.0'

/** Document 2, 4.3, 2.3, 7 and 8. */
export const videoTimelineRender: OperationTables = {
  section: '2, 4.3',
  operation: 'video_timeline_render',
  smallest: {
    version: 'v1',
    video_size: [640, 360],
    video_rate: 25,
    materials: [{ id: '1' }],
    video_track: [video],
    audio_track: [{ track_index: 0, track_timeline: [clip] }],
  },
  parameters: [
    { at: 'version', type: 'string', required: true, values: ['v1'], refuses: ['v2', ''] },
    {
      at: 'video_size',
      type: 'array',
      required: true,
      accepts: [
        [16, 16],
        [4096, 4096],
        [1080, 1920],
      ],
      refuses: [
        [],
        [640],
        [640, 360, 1],
        [641, 360],
        [640, 359],
        [14, 360],
        [640, 4098],
        [640.5, 360],
        ['640', 360],
      ],
    },
    {
      at: 'video_rate',
      type: 'integer',
      required: true,
      accepts: [1, 24, 30, 120],
      refuses: [0, 121, 29.97, '30', -25],
    },
    { at: 'duration', type: 'number', required: false, accepts: [0.04, 1.5, 21_600], refuses: [0, -1, '1'] },
    {
      at: 'materials',
      type: 'array',
      required: true,
      accepts: [
        [
          { id: '1' },
          { id: '2', path: '', duration: 1.5, video_size: [1, 2], video_rate: 25, audio_channel: 'mono' },
        ],
      ],
      refuses: [[], [{ id: '2' }], [{ id: 1 }], [{}]],
    },
    { at: 'materials.0.id', type: 'string', required: true, refuses: [1, '', '2'] },
    {
      at: 'video_track',
      type: 'array',
      required: true,
      accepts: [[], [video, { ...video, track_index: 1 }]],
    },
    {
      at: 'audio_track',
      type: 'array',
      required: true,
      accepts: [[], [{ track_index: 0, volume: 0.5, track_timeline: [] }]],
      refuses: [[{ track_index: 0 }], [{ track_timeline: [] }]],
    },
    { at: 'beat_track', type: 'array', required: false, standard: [], accepts: [[{ at: 1 }]] },
    { at: 'struct_meta', type: 'object', required: false, standard: {}, accepts: [{ any: ['thing'] }] },
    { at: 'video_track.0.track_index', type: 'number', required: true, accepts: [-1, 0, 2.5] },
    { at: 'video_track.0.track_size', type: 'array', required: false, accepts: [[1920, 1080]] },
    { at: 'video_track.0.muted', type: 'boolean', required: false, standard: false, accepts: [true] },
    {
      at: 'video_track.0.track_timeline',
      type: 'array',
      required: true,
      accepts: [[], [gap], row(499)],
    },
    {
      at: 'audio_track.0.volume',
      type: 'number',
      required: false,
      standard: 1,
      accepts: [0, 2],
      refuses: [-1],
    },
    { at: `${first}.clip_id`, type: 'string', required: true, accepts: [''] },
    { at: `${first}.material`, type: 'string', required: true, accepts: ['1'], refuses: ['2', ''] },
    { at: `${first}.clip_st`, type: 'number', required: true, accepts: [0, 0.5], refuses: [-0.1, 1, 2] },
    { at: `${first}.clip_ed`, type: 'number', required: true, accepts: [1], refuses: [0, -1] },
    { at: `${first}.track_st`, type: 'number', required: true, accepts: [0], refuses: [-1, 1, 2] },
    { at: `${first}.track_ed`, type: 'number', required: true, accepts: [1], refuses: [0, -1] },
    { at: `${first}.duration`, type: 'number', required: true, accepts: [1], refuses: [0, -1] },
    { at: `${first}.muted`, type: 'boolean', required: false, accepts: [true, false] },
    {
      at: `${first}.speed`,
      type: 'number',
      required: false,
      standard: 1,
      accepts: [0.01, 1, 100],
      refuses: [0, 0.009, 100.1, -1],
    },
    { at: `${first}.keep_pitch`, type: 'boolean', required: false, standard: false, accepts: [true] },
    {
      at: 'audio_track.0.track_timeline.0.volume',
      type: 'number',
      required: false,
      accepts: [0, 0.5, 2],
      refuses: [-0.1, '1'],
    },
  ],
  together: [
    {
      because: 'a clip that is no gap has a material',
      change: { video_track: [{ ...video, track_timeline: [{ ...gap, clip_id: 'a' }] }] },
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
  result: { file_id: 'string', download_url: 'string', duration: 'number', video_size: 'array' },
  resultAdditions: { notes: 'array, optional' },
  resultParts: {},
  created: {},
}

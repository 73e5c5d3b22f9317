import type { OperationTables, Parameter } from './tables.ts'

const box = { x: 0.25, y: 0.25, w: 0.5, h: 0.5 }
/** Complete, as a list that is treated holds it. */
const listed = { id: 'a', source: 'manual', ...box, start: 0, end: 0.5 }
const beyond = [
  { ...listed, x: -0.01 },
  { ...listed, x: 0.51 },
  { ...listed, y: 0.500_001 },
  { ...listed, w: 0 },
  { ...listed, h: 1.1 },
  { ...listed, y: '0' },
  { ...listed, start: -1 },
  { ...listed, start: 0.5 },
  { ...listed, end: 0 },
]
const oneShot = { purify_scope: 'region', regions: [box] }
const custom = { purify_scope: 'custom', rois: [box] }
const purify = { phase: 'purify', regions: [listed] }
const detect = { phase: 'detect' }

/** 2.1: a region of one request in one go, and of one that is complete. */
const regionRows = (list: string, further: Parameter['with'], isListed: boolean): Parameter[] => [
  ...(['x', 'y', 'w', 'h'] as const).map((name) => ({
    ...{ at: `${list}.0.${name}`, type: 'number' as const, required: true, with: further },
    ...{ accepts: [0.25, 0.5], refuses: [-0.1, 1.1, ...(name === 'w' || name === 'h' ? [0, 0.76] : [0.51])] },
  })),
  {
    at: `${list}.0.start`,
    type: 'number',
    required: isListed,
    with: further,
    accepts: [0, 0.4],
    refuses: [-1],
  },
  {
    at: `${list}.0.end`,
    type: 'number',
    required: isListed,
    with: further,
    accepts: [0.5, 99_999],
    refuses: [0, -1],
  },
  ...(isListed
    ? ([
        { at: `${list}.0.id`, type: 'string', required: true, with: further, refuses: [''] },
        {
          at: `${list}.0.source`,
          type: 'string',
          required: true,
          with: further,
          values: ['detected', 'manual'],
        },
      ] as const)
    : []),
]

/** Document 2, 4.1, 2.1, 7 and 8. */
export const videoPurify: OperationTables = {
  section: '2, 4.1',
  operation: 'video_purify',
  smallest: { file_id: '1' },
  withoutModel: oneShot,
  parameters: [
    { at: 'file_id', type: 'string', required: true, refuses: [12_345, ''] },
    { at: 'phase', type: 'string', required: false, values: ['detect', 'purify'], accepts: ['detect'] },
    {
      at: 'purify_scope',
      type: 'string',
      required: false,
      standard: 'full_screen',
      values: ['full_screen', 'subtitle', 'custom', 'region'],
      // The others are only accepted with their lists.
      accepts: ['full_screen', 'subtitle'],
    },
    {
      at: 'rois',
      type: 'array',
      required: false,
      orElse: 'another scope',
      with: custom,
      accepts: [[box], [box, { ...box, start: 0.1 }], [{ ...box, id: 5, source: [] }]],
      refuses: [[], [{}], ...beyond.map((one) => [one])],
    },
    ...regionRows('rois', custom, false),
    {
      at: 'regions',
      type: 'array',
      required: false,
      orElse: 'another scope',
      with: oneShot,
      accepts: [[box], [box, box], [{ ...box, id: 5, source: [] }]],
      refuses: [[], [{}], ...beyond.map((one) => [one])],
    },
    ...regionRows('regions', oneShot, false),
    {
      at: 'purify_func_type',
      type: 'string',
      required: false,
      standard: 'ffmpeg',
      values: ['ffmpeg', 'raft'],
    },
    {
      at: 'detect_scope',
      type: 'string',
      required: false,
      standard: 'full_screen',
      with: detect,
      values: ['full_screen', 'subtitle', 'custom'],
      accepts: ['full_screen', 'subtitle'],
    },
    {
      at: 'detect_roi',
      type: 'object',
      required: false,
      orElse: 'another scope',
      with: { ...detect, detect_scope: 'custom', detect_roi: box },
      accepts: [box, { x: 0, y: 0, w: 1, h: 1 }],
      refuses: [{}, { ...box, w: 0 }, { ...box, x: 0.6 }, { ...box, y: -0.1 }, [box]],
    },
    ...regionRows('regions', purify, true),
    {
      at: 'protect_regions',
      type: 'array',
      required: false,
      standard: [],
      with: purify,
      accepts: [[], [listed]],
      refuses: [[box], [listed, listed], ...beyond.map((one) => [one])],
    },
    ...regionRows('protect_regions', { ...purify, protect_regions: [listed] }, true),
    {
      at: 'source_file_id',
      type: 'string',
      required: false,
      with: purify,
      refuses: ['1234567890123456789', 1],
    },
    { at: 'regions_file_id', type: 'string', required: false, with: purify, refuses: ['1', 1] },
  ],
  together: [
    { because: 'custom needs rois', change: { purify_scope: 'custom' } },
    { because: 'region needs regions', change: { purify_scope: 'region' } },
    { because: 'detect_scope custom needs detect_roi', change: { ...detect, detect_scope: 'custom' } },
    { because: 'ids are unique', change: { ...purify, regions: [listed, { ...listed, x: 0 }] } },
    { because: 'a list holds every field', change: { phase: 'purify', regions: [box] } },
    { because: 'the list is of another video', change: { ...purify, source_file_id: '1234567890123456789' } },
    { because: 'there is such a list already', change: { ...purify, regions_file_id: '1' } },
    {
      because: 'it begins after the video',
      change: { ...purify, regions: [{ ...listed, start: 60, end: 61 }] },
    },
    {
      because: 'what is protected begins after the video',
      change: { ...purify, protect_regions: [{ ...listed, start: 60, end: 61 }] },
    },
    { because: 'it begins after the video', change: { ...oneShot, regions: [{ ...box, start: 60 }] } },
    { because: 'too many', change: { ...oneShot, regions: Array.from({ length: 50_001 }, () => box) } },
  ],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6017, status: 400 },
    { code: 6014, status: 400 },
    { code: 6004, status: 404 },
    { code: 6502, status: 401 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
  ],
  limits: [
    { code: 6019, status: 400 },
    { code: 6021, status: 400 },
    { code: 6022, status: 400 },
    { code: 6023, status: 400 },
    { code: 6035, status: 400 },
  ],
  damaged: { file: 'damaged.mp4', randomBytes: 6017, truncated: 6021, withoutFrames: 6021 },
  result: {
    phase: 'string, optional',
    file_id: 'string, optional',
    download_url: 'string, optional',
    regions_download_url: 'string, optional',
    unchanged: 'boolean, optional',
  },
  resultAdditions: {
    regions_file_id: 'string, optional',
    regions_found: 'integer, optional',
    notes: 'array, optional',
  },
  resultParts: {},
  created: {},
}

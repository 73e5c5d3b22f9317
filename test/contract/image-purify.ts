import type { OperationTables } from './tables.ts'

const box = { x: 0.25, y: 0.25, w: 0.5, h: 0.5 }
const boxes = (count: number) => Array.from({ length: count }, () => box)
const region = { purify_scope: 'region', regions: [box] }

/** Document 2, 4.2, 7 and 8. */
export const imagePurify: OperationTables = {
  section: '2, 4.2',
  operation: 'image_purify',
  smallest: { file_id: '1' },
  withoutModel: region,
  parameters: [
    { at: 'file_id', type: 'string', required: true, refuses: [12_345, ''] },
    {
      at: 'purify_scope',
      type: 'string',
      required: false,
      standard: 'full_screen',
      values: ['full_screen', 'region'],
      // region is only accepted with regions.
      accepts: ['full_screen'],
    },
    {
      at: 'regions',
      type: 'array',
      required: false,
      orElse: 'purify_scope full_screen',
      with: region,
      accepts: [boxes(1), boxes(16), [{ x: 0, y: 0, w: 1, h: 1 }], [{ x: 0.7, y: 0.1, w: 0.3, h: 0.9 }]],
      refuses: [
        [],
        boxes(17),
        [{}],
        [{ ...box, x: -0.01 }],
        [{ ...box, x: 0.51 }],
        [{ ...box, y: 0.500_001 }],
        [{ ...box, w: 0 }],
        [{ ...box, h: -0.1 }],
        [{ ...box, h: 1.1 }],
        [{ ...box, y: '0' }],
      ],
    },
  ],
  together: [{ because: 'region needs regions', change: { purify_scope: 'region' } }],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6014, status: 400 },
    { code: 6004, status: 404 },
    { code: 6502, status: 401 },
    { code: 6202, status: 402 },
  ],
  damaged: { file: 'damaged.png', randomBytes: 6014, truncated: 6014, withoutFrames: 6014 },
  result: { file_id: 'string' },
  resultAdditions: {
    download_url: 'string',
    regions_found: 'integer, optional',
    unchanged: 'boolean, optional',
    notes: 'array, optional',
  },
  resultParts: {},
  created: {},
}

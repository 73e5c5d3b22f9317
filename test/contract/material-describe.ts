import type { OperationTables } from './tables.ts'

/** Document 3, 2.5, 4.3, 7 and 8. Inline images, limits and rates have tests of their own, over HTTP. */
export const materialDescribe: OperationTables = {
  section: '3, 4.3',
  operation: 'material_describe',
  smallest: { input: [{ file_id: '1' }] },
  parameters: [
    {
      at: 'input',
      type: 'array',
      required: true,
      accepts: [[{ file_id: '1' }, { file_id: '2' }], Array.from({ length: 32 }, () => ({ file_id: '1' }))],
      refuses: [
        [],
        ['1'],
        [{}],
        [{ text: 'a harbour' }],
        [{ file_id: '1', text: 'a harbour' }],
        [{ file_id: '1', image: 'iVBORw0KGgo=' }],
        [{ file_id: '1' }, { url: 'https://example.com/a.png' }],
        [{ file_id: 7 }],
        [{ image: '' }],
      ],
    },
  ],
  together: [],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6004, status: 404 },
    { code: 6014, status: 400 },
    { code: 6201, status: 402 },
    { code: 6502, status: 401 },
  ],
  limits: [
    { code: 6030, status: 400 },
    { code: 6031, status: 413 },
  ],
  damaged: { file: 'damaged.png', randomBytes: 6014, truncated: 6014, withoutFrames: 6014 },
  result: { data: 'array', usage: 'object' },
  resultAdditions: { describer: 'string' },
  resultParts: {
    'data.0': {
      index: 'integer',
      desc: 'string',
      tags: 'array',
      mark: 'number',
      usable_flags: 'object',
    },
    'data.0.usable_flags': {
      watermark: 'boolean',
      text_overlay: 'boolean',
      black_border: 'boolean',
      blurry: 'boolean',
    },
    usage: { images: 'integer', total: 'integer' },
  },
  created: { created_at: 'time' },
}

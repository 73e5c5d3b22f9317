import type { OperationTables } from './tables.ts'

const own = { file_id: '1' }
const many = (item: object, count: number) => Array.from({ length: count }, () => item)

/** Document 3, 4.2, 7 and 8. */
export const materialEmbed: OperationTables = {
  section: '3, 4.2',
  operation: 'material_embed',
  smallest: { input: [own] },
  parameters: [
    {
      at: 'input',
      type: 'array',
      required: true,
      accepts: [
        [{ text: 'a' }],
        [own],
        [{ image: 'aGk=' }],
        [{ text: '𠀀'.repeat(32_768) }],
        [...many(own, 16), ...many({ text: 'a' }, 64)],
        [...many({ image: 'aGk=' }, 8), ...many(own, 8)],
      ],
      refuses: [
        [],
        [{}],
        [{ text: '' }],
        [{ text: 'a'.repeat(32_769) }],
        [{ text: 'a', ...own }],
        [{ image: 'aGk=', ...own }],
        ['a'],
        [{ file_id: 12 }],
      ],
    },
    {
      at: 'normalized',
      type: 'boolean',
      required: false,
      standard: true,
      accepts: [true],
      refuses: [false, 'true'],
    },
    {
      at: 'task',
      type: 'string',
      required: false,
      // 64 code points, also of those that take two units of UTF-16.
      accepts: ['retrieval.query', '', 'a'.repeat(64), '𠀀'.repeat(64)],
      refuses: ['a'.repeat(65), '𠀀'.repeat(65)],
    },
  ],
  together: [],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6016, status: 400 },
    { code: 6004, status: 404 },
    { code: 6014, status: 400 },
    { code: 6030, status: 400 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
    { code: 6502, status: 401 },
  ],
  limits: [
    { code: 6031, status: 413 },
    { code: 6032, status: 429 },
  ],
  unavailable: [
    { code: 6401, status: 500 },
    { code: 6402, status: 500 },
  ],
  damaged: { file: 'damaged.png', randomBytes: 6014, truncated: 6014, withoutFrames: 6014 },
  result: { data: 'array', usage: 'object' },
  resultAdditions: { engine: 'string', space: 'string' },
  resultParts: {
    'data.0': { index: 'integer', embedding: 'array', normalized: 'boolean' },
    usage: { texts: 'integer', images: 'integer', total: 'integer' },
  },
  created: {},
}

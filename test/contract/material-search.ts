import type { OperationTables } from './tables.ts'

/** Document 3, 4.1, 7 and 8. */
export const materialSearch: OperationTables = {
  section: '3, 4.1',
  operation: 'material_search',
  smallest: { scope: 'image', query: 'sea' },
  missing: 400,
  invalid: 400,
  parameters: [
    {
      at: 'scope',
      type: 'string',
      required: true,
      values: ['clip', 'image', 'audio'],
      refuses: ['video', ''],
    },
    {
      at: 'query',
      type: 'string',
      required: true,
      accepts: ['海', 'waves at sunset'],
      refuses: ['', '  ', 1],
    },
    {
      at: 'top_k',
      type: 'integer',
      required: false,
      standard: 20,
      accepts: [1, 50, 51, 100_000],
      refuses: [0, -1, 2.5, 'ten'],
    },
    { at: 'diversity', type: 'boolean', required: false, standard: false, accepts: [true], refuses: ['yes'] },
    {
      at: 'request_id',
      type: 'string',
      required: false,
      accepts: ['8ab1e7f6-0b1c-4f7e-9f57-1d8b5a5a2c11'],
      refuses: ['mine', 12],
    },
  ],
  together: [],
  refusals: [
    { code: 400, status: 400 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
    { code: 6502, status: 401 },
  ],
  unavailable: [
    { code: 6401, status: 500 },
    { code: 6402, status: 500 },
  ],
  // The response adds the task's id.
  result: { request_id: 'string', recalled: 'integer', total: 'integer', results: 'array' },
  resultAdditions: { notes: 'array, optional' },
  resultParts: {
    'results.0': {
      id: 'integer',
      // Our addition.
      name: 'string',
      score: 'number',
      download_url: 'string',
      note: 'string',
      tags: 'array',
      cover_url: 'string, optional',
      preview_url: 'string, optional',
      thumb_url: 'string, optional',
      accompaniment_url: 'string, optional',
      title: 'string, optional',
      author: 'string, optional',
      audio_type: 'string, optional',
      duration: 'number, optional',
      width: 'integer, optional',
      height: 'integer, optional',
      fps: 'number, optional',
      orientation: 'string, optional',
    },
  },
  created: {},
}

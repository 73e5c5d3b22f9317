import type { OperationTables } from './tables.ts'

/** Document 3, 4.5, 7 and 8. */
export const audioLanguageDetect: OperationTables = {
  section: '3, 4.5',
  operation: 'audio_language_detect',
  smallest: { file_id: '1' },
  missing: 6016,
  parameters: [{ at: 'file_id', type: 'string', required: true, refuses: [12_345, ''] }],
  together: [],
  refusals: [
    { code: 6016, status: 400 },
    { code: 6502, status: 401 },
    { code: 6201, status: 402 },
    { code: 6202, status: 402 },
    { code: 6004, status: 404 },
  ],
  unavailable: [
    { code: 6401, status: 500 },
    { code: 6402, status: 500 },
  ],
  // The response adds the task's id.
  damaged: { file: 'damaged.wav', randomBytes: 6016, truncated: 'accepted', withoutFrames: 6016 },
  result: {
    language: 'string or null',
    raw_language: 'string',
    confidence: 'number',
    candidates: 'array',
    detected_window_sec: 'number',
  },
  resultAdditions: { engine: 'string', notes: 'array, optional' },
  resultParts: {
    'candidates.0': { language: 'string or null', raw_language: 'string', confidence: 'number' },
  },
  created: {},
}

import type { OperationTables } from './tables.ts'

/** Document 2, 4.6, 7 and 8. */
export const pianoAudioToMidi: OperationTables = {
  section: '2, 4.6',
  operation: 'piano_audio_to_midi',
  smallest: { file_id: '1' },
  parameters: [{ at: 'file_id', type: 'string', required: true, refuses: [12_345, ''] }],
  together: [],
  refusals: [
    { code: 6013, status: 400 },
    { code: 6014, status: 400 },
    { code: 6017, status: 400 },
    { code: 6004, status: 404 },
    { code: 6502, status: 401 },
    { code: 6202, status: 402 },
  ],
  // At most 6 hours, as results are everywhere (docs/contract.md).
  limits: [{ code: 6016, status: 400 }],
  damaged: { file: 'damaged.wav', randomBytes: 6017, truncated: 'accepted', withoutFrames: 6017 },
  result: { file_id: 'string', download_url: 'string' },
  resultAdditions: {
    notes_found: 'integer',
    pedal: 'boolean',
    duration: 'number',
    transcriber: 'string',
    notes: 'array, optional',
  },
  resultParts: {},
  created: {},
}

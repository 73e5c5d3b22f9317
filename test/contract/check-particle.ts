import type { OperationTables } from './tables.ts'

/** Of no document: ours (docs/contract.md, check_particle). */
export const checkParticle: OperationTables = {
  section: 'docs/contract.md',
  operation: 'check_particle',
  smallest: { file_id: '1' },
  parameters: [
    { at: 'file_id', type: 'string', required: false, orElse: 'html', refuses: [''] },
    { at: 'html', type: 'string', required: false, refuses: ['', '<template></template>'] },
    {
      at: 'video_size',
      type: 'object',
      required: false,
      accepts: [{ width: 16, height: 4096 }],
      refuses: [{}, { width: 15, height: 360 }, { width: 640, height: 4097 }],
    },
    { at: 'fps', type: 'number', required: false, standard: 30, accepts: [1, 29.97, 120], refuses: [0, 121] },
    { at: 'duration', type: 'number', required: false, standard: 5, accepts: [0.1, 600], refuses: [0, 601] },
  ],
  together: [{ because: 'there is nothing to check', change: { file_id: undefined } }],
  refusals: [
    { code: 6016, status: 400 },
    { code: 6004, status: 404 },
    { code: 6014, status: 400 },
    { code: 6502, status: 401 },
  ],
  damaged: {
    file: 'damaged.html',
    randomBytes: 'accepted',
    truncated: 'accepted',
    withoutFrames: 'accepted',
  },
  result: {
    ok: 'boolean',
    problems: 'array',
    composition_id: 'string, optional',
    width: 'integer, optional',
    height: 'integer, optional',
    file_id: 'string, optional',
    download_url: 'string, optional',
  },
  resultParts: { 'problems.0': { severity: 'string', message: 'string', line: 'integer, optional' } },
  created: {
    estimated_duration: 'number',
    estimated_queue_wait_duration: 'number',
    estimated_total_duration: 'number',
  },
}

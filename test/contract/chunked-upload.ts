import type { Fields, Parameter, Refusal } from './tables.ts'

/** Document 1, 4.2: the body of init; the smallest one, and what each field takes. */
export const initSmallest = { filename: 'a.mp4', size: 1 }
export const initParameters: readonly Parameter[] = [
  {
    at: 'filename',
    type: 'string',
    required: true,
    accepts: ['a.mp4', '电影.mkv'],
    refuses: ['', 7, [], {}],
  },
  {
    at: 'size',
    type: 'number',
    required: true,
    // Values out of bounds have codes of their own: 6011 and 6002.
    accepts: [0, 1, 20 * 1024 ** 3, 20 * 1024 ** 3 + 1],
    refuses: [-1, 0.5, '1', true, []],
  },
  {
    at: 'blake3_id',
    type: 'string',
    required: false,
    accepts: ['0123456789abcdef'.repeat(4), '0123456789ABCDEF'.repeat(4)],
    refuses: ['', 'abc', 'g'.repeat(64), 'a'.repeat(65), 7],
  },
]

/** Document 1, 4.2: data of the answers. */
export const sessionFields: Fields = {
  upload_id: 'string',
  part_size: 'integer',
  total_parts: 'integer',
  expires_at: 'string',
}
export const partFields: Fields = {
  upload_id: 'string',
  index: 'integer',
  received: 'integer',
  total_parts: 'integer',
}
export const statusFields: Fields = {
  upload_id: 'string',
  size: 'integer',
  part_size: 'integer',
  total_parts: 'integer',
  received: 'integer',
  missing: 'array',
  expires_at: 'string',
}
export const abortedFields: Fields = { upload_id: 'string', aborted: 'boolean' }

/** Document 1, 4.2: the optional query of a part. */
export const partQueryFields: Fields = { blake3: 'string, optional' }

/** Document 1, 2.2 and 4.2: an instant upload is the file record and this. */
export const instantFields: Fields = { instant: 'boolean' }

/** Document 1, 4.2 and section 8. */
export const chunkLimits = { partBytes: 33_554_432, sessionHours: 72, listedMissing: 20 }

/** Document 1, 2.6. */
export const expiresAtForm = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

/** Document 1, 4.2: the codes of chunked uploads. */
export const chunkedRefusals: readonly Refusal[] = [
  { code: 6024, status: 404 },
  { code: 6025, status: 400 },
  { code: 6026, status: 400 },
  { code: 6027, status: 400 },
  { code: 6028, status: 400 },
  { code: 6001, status: 400 },
  { code: 6002, status: 413 },
  { code: 6011, status: 400 },
  { code: 6502, status: 401 },
]

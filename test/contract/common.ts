import type { Fields, Parameter, Refusal } from './tables.ts'

/** Document 1, 2.2: the record of a file, as upload answers it. */
export const fileRecordFields: Fields = {
  file_id: 'string',
  original_name: 'string',
  size: 'integer',
  blake3_id: 'string',
  base_ext: 'string',
  download_url: 'string',
  created_at: 'time',
  expire_at: 'time',
  is_expired: 'boolean',
}

/** Document 1, 2.2: only file details tell the uploader. */
export const fileDetailsFields: Fields = { ...fileRecordFields, upload_user_id: 'integer' }

/** Document 1, 2.3. */
export const taskCreatedFields: Fields = {
  task_id: 'string',
  task_type: 'string',
  status: 'string',
  created_at: 'time, optional',
  estimated_duration: 'number, optional',
  estimated_queue_wait_duration: 'number, optional',
  estimated_total_duration: 'number, optional',
}

/** Document 1, sections 1 and 4: methods and paths. */
export const endpoints = [
  'POST /task/{task_type}',
  'GET /task/{task_type}/{task_id}',
  'POST /base/file/upload',
  'POST /base/file/upload/chunk/init',
  'PUT /base/file/upload/chunk/{upload_id}/{index}',
  'GET /base/file/upload/chunk/{upload_id}',
  'POST /base/file/upload/chunk/{upload_id}/complete',
  'DELETE /base/file/upload/chunk/{upload_id}',
  'GET /base/file/{file_id}',
  'GET /task/list',
  'POST /task/{task_id}/cancel',
]

/** Document 1, 2.1: the envelope of three operations, and all that their creation answers. */
export const messageEnvelopeFields: Fields = { code: 'integer', message: 'string', data: 'object' }
export const messageCreatedFields: Fields = { task_id: 'string' }

/** Document 1, 2.4; both names of the id and the task type are answered (docs/contract.md). */
export const taskRecordFields: Fields = {
  task_id: 'string',
  id: 'string',
  task_type: 'string',
  status: 'string',
  progress: 'integer',
  output_result: 'object or null',
  create_time: 'time',
  update_time: 'time',
}

/** Document 1, 2.5; what has not happened yet is null (docs/contract.md). */
export const taskListItemFields: Fields = {
  id: 'string',
  status: 'string',
  priority: 'string',
  progress: 'integer',
  estimated_duration: 'number',
  estimated_queue_wait_duration: 'number',
  actual_duration: 'number or null',
  process_start_time: 'time or null',
  finish_time: 'time or null',
  create_time: 'time',
  task_type_key: 'string',
  task_type_name: 'string',
}

/** Document 1, 4.4. */
export const taskListFields: Fields = {
  list: 'array',
  total: 'integer',
  page: 'integer',
  page_size: 'integer',
}
export const listStates = ['queued', 'processing', 'completed', 'failed', 'cancelled']

/**
 * Document 1, 4.4: the query. Which pages and sizes there are is settled in docs/contract.md, and that a
 * type nobody knows has no tasks; values as an address carries them.
 */
export const listParameters: readonly Parameter[] = [
  {
    at: 'status',
    type: 'string',
    required: false,
    values: listStates,
    refuses: ['created', 'done', 'Queued', ''],
  },
  {
    at: 'task_type',
    type: 'string',
    required: false,
    accepts: ['video_split_screen', 'asr', 'video_stabilizer', 'no-such.type', 'x'.repeat(64)],
    refuses: ['', '\0', 'a b', '🎬', 'x'.repeat(65)],
  },
  {
    at: 'page',
    type: 'number',
    required: false,
    standard: 1,
    accepts: ['1', '2', '1000000'],
    refuses: ['0', '-1', '1.5', '', 'one', 'NaN', 'Infinity', '1000001'],
  },
  {
    at: 'page_size',
    type: 'number',
    required: false,
    standard: 20,
    accepts: ['1', '20', '100'],
    refuses: ['0', '-5', '2.5', '', 'all', '1e999', '101'],
  },
]

/** Document 1, 4.5, section 3, and docs/contract.md: states in which a task can be cancelled, and stopped. */
export const stoppableStates = ['created', 'queued', 'processing']

/** Document 1, section 3. */
export const states = ['created', 'queued', 'processing', 'completed', 'failed', 'cancelled']
export const terminalStates = ['completed', 'failed', 'cancelled']
export const cancellableStates = ['created', 'queued']

/** Document 1, 4.1 rule 2. */
export const uploadExtensions = {
  image: ['.jpg', '.jpeg', '.png', '.webp', '.bmp'],
  audio: ['.mp3', '.wav', '.m4a', '.aac', '.flac', '.ogg'],
  video: ['.mp4', '.mov', '.avi', '.mkv', '.flv', '.webm'],
}

/** Document 1, section 8; a GB is 2^30 bytes (docs/contract.md). */
export const limits = { uploadBytes: 20 * 1024 ** 3, retentionDays: 60, pageSize: 20 }

/** Document 1, section 7, and document 1, 4.1 rule 5: the codes that what is built can answer. */
export const errorCodes: readonly Refusal[] = [
  // Document 3, section 7: material_search's own.
  { code: 400, status: 400 },
  // Document 3, section 7: subtitle_translate's own.
  { code: 5202, status: 404 },
  { code: 6001, status: 400 },
  { code: 6002, status: 413 },
  { code: 6004, status: 404 },
  { code: 6011, status: 400 },
  { code: 6013, status: 400 },
  { code: 6014, status: 400 },
  // Its status is not shown in the documents; settled in docs/contract.md.
  { code: 6015, status: 400 },
  { code: 6016, status: 400 },
  { code: 6017, status: 400 },
  { code: 6019, status: 400 },
  { code: 6021, status: 400 },
  { code: 6022, status: 400 },
  { code: 6023, status: 400 },
  { code: 6024, status: 404 },
  { code: 6025, status: 400 },
  { code: 6026, status: 400 },
  { code: 6027, status: 400 },
  { code: 6028, status: 400 },
  { code: 6030, status: 400 },
  { code: 6031, status: 413 },
  { code: 6032, status: 429 },
  { code: 6035, status: 400 },
  { code: 6036, status: 400 },
  { code: 6201, status: 402 },
  { code: 6202, status: 402 },
  { code: 6401, status: 500 },
  { code: 6402, status: 500 },
  { code: 6502, status: 401 },
]

/** Not shown in the documents; settled in docs/contract.md. */
export const ownErrorCodes: readonly Refusal[] = [
  { code: 6005, status: 404 },
  { code: 6007, status: 409 },
  { code: 6008, status: 409 },
  { code: 6009, status: 409 },
  { code: 6500, status: 500 },
]

/** A row of the error table. */
interface ErrorRow {
  /** HTTP status of a refused request; failures during execution keep the code inside the task result. */
  readonly status: number
  readonly meaning: string
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean
  /** Instruction that fixes it. */
  readonly hint: string
}

/** Codes beyond those of the contract (docs/contract.md). */
export const ownErrors = {
  6005: {
    status: 404,
    meaning: 'Task not found',
    retryable: false,
    hint: 'Check the task id and its task type, or list the tasks.',
  },
  6007: {
    status: 409,
    meaning: 'Not allowed in the current state of the task',
    retryable: false,
    hint: 'Query the task to see its state. Only a queued task can be cancelled.',
  },
  6008: {
    status: 409,
    meaning: 'File in use by an unfinished task',
    retryable: true,
    hint: 'Wait until the task has finished, or cancel it, then delete the file.',
  },
  6009: {
    status: 409,
    meaning: 'Stopped on request',
    retryable: false,
    hint: 'Create the task again to run it from the start.',
  },
  6500: {
    status: 500,
    meaning: 'Internal error',
    retryable: true,
    hint: 'Try again. If the problem persists, report it with the task id.',
  },
} as const satisfies Record<number, ErrorRow>

/** All error codes: those of the contract (section 7) and our own. */
export const errorTable = {
  ...ownErrors,
  400: {
    status: 400,
    meaning: 'Invalid parameters of a material search',
    retryable: false,
    hint: 'Correct the named parameter.',
  },
  5202: {
    status: 404,
    meaning: 'File does not exist',
    retryable: false,
    hint: 'Upload the file again and use the new file_id.',
  },
  6001: {
    status: 400,
    meaning: 'Unsupported file type or extension',
    retryable: false,
    hint: 'Use a file with one of the supported extensions.',
  },
  6002: {
    status: 413,
    meaning: 'File or declared size over the limit',
    retryable: false,
    hint: 'Use a smaller file, or free space on the service.',
  },
  6004: {
    status: 404,
    meaning: 'File not found, expired or not owned by the caller',
    retryable: false,
    hint: 'Upload the file again and use the new file_id.',
  },
  6011: { status: 400, meaning: 'Empty file', retryable: false, hint: 'Use a file that is not empty.' },
  6013: {
    status: 400,
    meaning: 'Required parameter missing',
    retryable: false,
    hint: 'Add the named parameter.',
  },
  6014: {
    status: 400,
    meaning: 'File type does not match the task',
    retryable: false,
    hint: 'Use a file of the kind that the parameter requires.',
  },
  6015: {
    status: 400,
    meaning: 'Spoken language without recognition of words',
    retryable: false,
    hint: 'Use zh-CN, zh-CHS, zh-CHT, en-US, ja-JP, ko-KR or fr-FR.',
  },
  6016: {
    status: 400,
    meaning: 'Invalid business parameter or structure',
    retryable: false,
    hint: 'Correct the named parameter.',
  },
  6017: {
    status: 400,
    meaning: 'Media probe failed',
    retryable: false,
    hint: 'Check whether the file opens in a media player. If it does, convert it: video to mp4 (H.264, AAC), sound to flac. If not, export it again.',
  },
  6019: {
    status: 400,
    meaning: 'Video too long',
    retryable: false,
    hint: 'Cut the video into shorter pieces.',
  },
  6021: {
    status: 400,
    meaning: 'No frame of the video could be decoded',
    retryable: false,
    hint: 'Check whether the file opens in a media player. If it does, convert it, for example to mp4 (H.264). If not, export it again.',
  },
  6022: {
    status: 400,
    meaning: 'Picture of the video too large',
    retryable: false,
    hint: 'Scale the video down first.',
  },
  6023: {
    status: 400,
    meaning: 'Frame rate of the video too high',
    retryable: false,
    hint: 'Convert the video to a lower frame rate first.',
  },
  6024: {
    status: 404,
    meaning: 'Upload session not found or expired',
    retryable: false,
    hint: 'Start the upload again.',
  },
  6025: {
    status: 400,
    meaning: 'Part index out of range or wrong part size',
    retryable: false,
    hint: 'Send parts of exactly the part_size that init returned; only the last part may be shorter.',
  },
  6026: {
    status: 400,
    meaning: 'Checksum mismatch',
    retryable: true,
    hint: 'Send the part again.',
  },
  6027: {
    status: 400,
    meaning: 'Parts still missing at complete',
    retryable: false,
    hint: 'Send the missing parts, then complete again.',
  },
  6028: {
    status: 400,
    meaning: 'Assembled size differs from the declared size',
    retryable: false,
    hint: 'Start the upload again with the actual size of the file.',
  },
  6030: {
    status: 400,
    meaning: 'Too many items in a request',
    retryable: false,
    hint: 'Send fewer items per request.',
  },
  6031: {
    status: 413,
    meaning: 'Image too large',
    retryable: false,
    hint: 'Scale the image down, or save it with more compression.',
  },
  6032: {
    status: 429,
    meaning: 'Per-key rate limit',
    retryable: true,
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },
  6035: {
    status: 400,
    meaning: 'Picture of the video too small',
    retryable: false,
    hint: 'Scale the video up first.',
  },
  6036: {
    status: 400,
    meaning: 'Upload interrupted',
    retryable: true,
    hint: 'Send the file again.',
  },
  6201: {
    status: 402,
    meaning: 'Insufficient quota',
    retryable: false,
    hint: 'Use another key, or ask the operator of the service to raise the quota of this key.',
  },
  6202: {
    status: 402,
    meaning: 'Insufficient balance',
    retryable: false,
    hint: 'Request less, such as a shorter range or fewer items, or add credits to the account.',
  },
  6401: {
    status: 500,
    meaning: 'Upstream service unavailable',
    retryable: true,
    hint: 'Try again later. service_status and `reelwright doctor` report what is missing.',
  },
  6402: {
    status: 500,
    meaning: 'Upstream timeout or busy',
    retryable: true,
    hint: 'Try again later.',
  },
  6502: {
    status: 401,
    meaning: 'Authentication failed',
    retryable: false,
    hint: 'Send the API key as the whole value of the Authorization header, without a prefix.',
  },
} as const satisfies Record<number, ErrorRow>

/** Fix of an image that cannot be read: the hints of the table are about sound and video. */
export const imageHint =
  'Check whether the image opens in a viewer. If it does, send it as a JPEG, PNG, BMP or WebP. If not, export it again.'

export type ErrorCode = keyof typeof errorTable

/** Whether a number is a code of the table. */
export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}

interface MediaErrorOptions extends ErrorOptions {
  /** Overrides the value of the table. */
  readonly retryable?: boolean | undefined
  /** Overrides the hint of the table with the specific fix. */
  readonly hint?: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter?: number | undefined
}

/** The only error that users and agents see. Any other error is a bug and is reported as 6500 without its text. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly hint: string
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, options: MediaErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.retryable = options.retryable ?? errorTable[code].retryable
    this.hint = options.hint ?? errorTable[code].hint
    this.retryAfter = options.retryAfter
  }

  /** Returns the same error with its message prefixed by a place of the request. */
  at(place: string, hint: string = this.hint): MediaError {
    const { code, message, retryable, retryAfter } = this
    return new MediaError(code, `${place}: ${message}`, { cause: this, hint, retryable, retryAfter })
  }

  /** HTTP status of this error's code. */
  get status(): number {
    return errorTable[this.code].status
  }
}

/** An error whose code an operation's own table lists for this case: it is not replaced by `errorAliases`. */
export class ListedError extends MediaError {}

/** An error that a full disk caused. */
export class DiskFullError extends MediaError {}

/** Error of a task whose files do not fit on the disk. */
export function diskFullError(cause: unknown): DiskFullError {
  return new DiskFullError(6402, 'the disk is full', {
    cause,
    hint: 'Free space on the service, then try again.',
  })
}

/** Types as the contract documents write them; `or null` where a value may be missing at first. */
type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'time'

/** A field of an answer: its type as the document gives it. */
export type Fields = Readonly<Record<string, FieldType | `${FieldType} or null` | `${FieldType}, optional`>>

/** A row of a table of parameters. */
export interface Parameter {
  /** `clips`, or `clips.0.begin_time_ms` for a field of an entry; the place is set in the smallest request. */
  readonly at: string
  readonly type: FieldType
  readonly required: boolean
  /** Where exactly one of two is needed: the other one, which the smallest request has not. */
  readonly orElse?: string
  /** Further fields of a request of the kind that reads it; left out, the smallest does. */
  readonly with?: Readonly<Record<string, unknown>>
  /** What the smallest request is read as; undefined where the document names no fixed value. */
  readonly standard?: unknown
  /** All values of an enumeration. */
  readonly values?: readonly string[]
  readonly accepts?: readonly unknown[]
  readonly refuses?: readonly unknown[]
  /** Invalid values are no error at validation: they count as the default, or only some files make them one. */
  readonly isTolerant?: true
}

/** A code an operation may answer at creation, with its HTTP status. */
export interface Refusal {
  readonly code: number
  readonly status: number
}

/** What creation answers to a file of the right kind that is damaged; `accepted`: the task decides. */
export interface DamagedMedia {
  /** Name of the file, whose extension says of which kind the damaged ones are. */
  readonly file: `damaged.${'png' | 'mp4' | 'wav' | 'srt' | 'html'}`
  readonly randomBytes: number | 'accepted'
  readonly truncated: number | 'accepted'
  /** A correct header without a single frame, sample or entry. */
  readonly withoutFrames: number | 'accepted'
}

/** The tables of one operation: what the documents say, to be held against its contract. */
export interface OperationTables {
  /** Document and section. */
  readonly section: string
  readonly operation: string
  /** The smallest request: every required field and nothing else. */
  readonly smallest: Readonly<Record<string, unknown>>
  /** Fields with which it needs no model, where the smallest does: a machine may have none. */
  readonly withoutModel?: Readonly<Record<string, unknown>>
  /** The code of a missing field, where the table lists another than 6013. */
  readonly missing?: number
  /** The code of an invalid field, where the table lists another than 6016. */
  readonly invalid?: number
  readonly parameters: readonly Parameter[]
  readonly refusals: readonly Refusal[]
  /** Codes that only media beyond a limit get; they have a test of their own. */
  readonly limits?: readonly Refusal[]
  /** Codes of a service that is busy or misses a requirement; separate tests cover them. */
  readonly unavailable?: readonly Refusal[]
  /** Absent for an operation without files. */
  readonly damaged?: DamagedMedia
  /** Changes of the smallest request that must be refused because of how its fields go together. */
  readonly together: readonly {
    readonly because: string
    readonly change: Readonly<Record<string, unknown>>
  }[]
  readonly result: Fields
  /** Fields of our result beyond the documents (docs/contract.md). */
  readonly resultAdditions?: Fields
  /** Structures inside the result, by their place (`layout.slots.0`). */
  readonly resultParts: Readonly<Record<string, Fields>>
  /** Fields the creation answers beyond task_id, task_type and status. */
  readonly created: Fields
}

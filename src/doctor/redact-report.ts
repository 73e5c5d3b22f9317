import { dirname } from 'node:path'
import * as z from 'zod'
import { errorTable, isErrorCode } from '../contract/errors.ts'
import { escapeControls, redact } from '../platform/log.ts'
import { parseJson } from '../contract/bounded-json.ts'

/** Private data of this machine and the placeholders that replace it in a report. */
export interface PrivateData {
  /** Folders and files. Their parent folders are redacted too. */
  readonly places: readonly (readonly [path: string, placeholder: string])[]
  /** Names of the user and the machine. */
  readonly words: readonly (readonly [word: string, placeholder: string])[]
}

/** Names that are not private and also occur as ordinary words. */
const commonWords = new Set(['', 'admin', 'app', 'localhost', 'node', 'root', 'ubuntu', 'user'])

/** Returns a function that redacts secrets, private paths and names in a text, and escapes control characters. */
export function createRedactor({ places, words }: PrivateData): (text: string) => string {
  const redacted = places.filter(([path]) => path !== dirname(path))
  const paths = new Map([...redacted.flatMap(([path]) => parentFolders(path)), ...redacted])
  const longestFirst = [...paths].toSorted(([one], [other]) => other.length - one.length)
  const patterns = [
    ...longestFirst.map(
      ([path, placeholder]) => [wholeWordPattern(pathSpellings(path)), placeholder] as const,
    ),
    ...words
      .filter(([word]) => !commonWords.has(word))
      .map(([word, placeholder]) => [wholeWordPattern([word]), placeholder] as const),
  ]
  return (text) =>
    escapeControls(
      patterns.reduce((left, [pattern, placeholder]) => left.replace(pattern, placeholder), redact(text)),
    )
}

/** Parent folders of a path, without those directly below the root, which belong to the system. */
function parentFolders(path: string): (readonly [string, string])[] {
  const parent = dirname(path)
  return dirname(parent) === dirname(dirname(parent)) ? [] : [...parentFolders(parent), [parent, '<folder>']]
}

/** Spellings of a path: plain, in JSON, and in a URL. Longest first, because one may be a prefix of another. */
function pathSpellings(path: string): string[] {
  const all = [path, JSON.stringify(path).slice(1, -1), path.replaceAll('\\', '/'), encodeURI(path)]
  return all.toSorted((one, other) => other.length - one.length)
}

/** Matches whole paths and words only: `/data` does not match in `/data-folder`. */
function wholeWordPattern(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\w.-])(?:${escaped.join('|')})(?![\w-])`, 'gi')
}

/** Log fields whose strings contain only the program's own words, ids and patterns, never user data. */
const safeFields = new Set(
  'time msg request_id task_id file_id upload_id task_type method route reason version instance'.split(' '),
)

/** Errors of the JavaScript engine: their messages contain user values only in quotes. */
const languageErrors = new Set(['TypeError', 'RangeError', 'ReferenceError'])

/** Error as pino writes it. Other properties may contain names. */
const loggedError = z.object({
  type: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  errno: z.number().optional(),
  syscall: z.string().optional(),
  message: z.string(),
  stack: z.string(),
})
type LoggedError = z.output<typeof loggedError>

const logLine = z.looseObject({ err: loggedError.optional().catch(undefined), msg: z.string().default('') })

/**
 * Redacts everything in a log that may contain file names or other user data. Keeps numbers, ids, the program's own
 * words, and of errors the type, code and stack.
 */
export function redactLogNames(log: string): string {
  return log
    .split('\n')
    .map((line) => {
      const json = line.startsWith('{') ? logLine.safeParse(parseJson(line)).data : undefined
      return json ? JSON.stringify(redactLine(json)) : redactPlainLine(line)
    })
    .join('\n')
}

function redactLine({ err, msg, ...fields }: z.output<typeof logLine>): object {
  const kept = Object.entries(fields).map(([name, value]) => [name, redactValue(name, value)] as const)
  return {
    ...Object.fromEntries(kept),
    ...(err && { err: redactError(err) }),
    // If only an error is logged, the logger repeats its message as msg.
    msg: err?.message.startsWith(msg) ? omission(msg) : msg,
  }
}

function redactValue(field: string, value: unknown): unknown {
  if (typeof value === 'string') return safeFields.has(field) ? value : omission(value)
  return typeof value === 'object' && value !== null ? omission(JSON.stringify(value)) : value
}

function redactError({ stack, ...error }: LoggedError) {
  return { ...error, message: redactMessage(error), stack: stack.split('\n').map(redactPlainLine) }
}

function redactMessage({ type, message, code }: Pick<LoggedError, 'type' | 'message' | 'code'>): string {
  if (type === 'MediaError' && typeof code === 'number' && isErrorCode(code)) return errorTable[code].meaning
  return languageErrors.has(type) ? redactQuoted(message) : omission(message)
}

/** Redacts a line that is not JSON: a stack line, or output of Node when a process exits. */
function redactPlainLine(line: string): string {
  if (isStackFrame(line) || /^Node\.js v[\d.]+$/.test(line) || line === '') return line
  const [, before = '', type, message = ''] = /^(caused by: )?(\w*Error)\b(?:: (.*))?/.exec(line) ?? []
  return type === undefined ? omission(line) : `${before}${type}: ${redactMessage({ type, message })}`
}

function isStackFrame(line: string): boolean {
  return /^ +at [\w$.<>#[\] ]*\(?(node:[\w/]+|[^()]+\.[cm]?[jt]s):\d+:\d+\)?$/.test(line)
}

function redactQuoted(text: string): string {
  return text.replace(/(["'`]).*\1/s, '$1…$1')
}

function omission(text: string): string {
  return `[${text.length} characters left out]`
}

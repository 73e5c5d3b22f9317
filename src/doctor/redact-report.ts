import { dirname } from 'node:path'
import * as z from 'zod'
import { errorTable, isErrorCode } from '../contract/errors.ts'
import { escapeControls, redact } from '../platform/log.ts'
import { parseJson } from '../platform/text-formats.ts'

/** What of this machine a report does not tell, by the placeholders that stand for it. */
export interface PrivateData {
  /** Folders and files; the folders above them are not told either. */
  readonly places: readonly (readonly [path: string, placeholder: string])[]
  /** Names of the user and the machine. */
  readonly words: readonly (readonly [word: string, placeholder: string])[]
}

/** Names that tell nothing, and are also words of ordinary texts. */
const commonWords = new Set(['', 'admin', 'app', 'localhost', 'node', 'root', 'ubuntu', 'user'])

/** Makes what blanks secrets, private places and words in a text, and whatever a terminal would obey. */
export function createRedactor({ places, words }: PrivateData): (text: string) => string {
  const told = places.filter(([path]) => path !== dirname(path))
  const paths = new Map([...told.flatMap(([path]) => parentFolders(path)), ...told])
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

/** The folders above a path; those directly below the root are the system's. */
function parentFolders(path: string): (readonly [string, string])[] {
  const parent = dirname(path)
  return dirname(parent) === dirname(dirname(parent)) ? [] : [...parentFolders(parent), [parent, '<folder>']]
}

/** As it is, inside JSON, and inside an address; the longest first, as one may begin another. */
function pathSpellings(path: string): string[] {
  const all = [path, JSON.stringify(path).slice(1, -1), path.replaceAll('\\', '/'), encodeURI(path)]
  return all.toSorted((one, other) => other.length - one.length)
}

/** Whole paths and words only: `/data` is not the beginning of `/data-folder`. */
function wholeWordPattern(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\w.-])(?:${escaped.join('|')})(?![\w-])`, 'gi')
}

/** Strings of these fields are ours: words, ids and patterns. All others may hold what people wrote. */
const safeFields = new Set(
  'time msg request_id task_id file_id upload_id task_type method route reason version instance'.split(' '),
)

/** Messages of these come from the language, with values in quotes only. */
const languageErrors = new Set(['TypeError', 'RangeError', 'ReferenceError'])

/** An error as pino writes it; what else it carries may hold names. */
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
 * Of a log's lines what cannot hold the names of files or other words of people: numbers, ids and
 * our own words; of errors their kinds, codes and stacks.
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
    // A logger that is given an error alone repeats its message.
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

/** Of a line of a stack, and of what Node itself says as a process ends. */
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

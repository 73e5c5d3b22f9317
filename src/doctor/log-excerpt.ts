import * as z from 'zod'
import { errorTable, isErrorCode } from '../contract/errors.ts'
import { parseJson } from '../platform/json.ts'

/** Strings of these fields are ours: words, ids and patterns. All others may hold what people wrote. */
const ownFields = new Set(
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
export function withoutNames(log: string): string {
  return log
    .split('\n')
    .map((line) => {
      const json = line.startsWith('{') ? logLine.safeParse(parseJson(line)).data : undefined
      return json ? JSON.stringify(keptOf(json)) : keptOfPlain(line)
    })
    .join('\n')
}

function keptOf({ err, msg, ...fields }: z.output<typeof logLine>): object {
  const kept = Object.entries(fields).map(([name, value]) => [name, keptValue(name, value)] as const)
  return {
    ...Object.fromEntries(kept),
    ...(err && { err: keptError(err) }),
    // A logger that is given an error alone repeats its message.
    msg: err?.message.startsWith(msg) ? leftOut(msg) : msg,
  }
}

function keptValue(field: string, value: unknown): unknown {
  if (typeof value === 'string') return ownFields.has(field) ? value : leftOut(value)
  return typeof value === 'object' && value !== null ? leftOut(JSON.stringify(value)) : value
}

function keptError({ stack, ...error }: LoggedError) {
  return { ...error, message: messageOf(error), stack: stack.split('\n').map(keptOfPlain) }
}

function messageOf({ type, message, code }: Pick<LoggedError, 'type' | 'message' | 'code'>): string {
  if (type === 'MediaError' && typeof code === 'number' && isErrorCode(code)) return errorTable[code].meaning
  return languageErrors.has(type) ? withoutQuoted(message) : leftOut(message)
}

/** Of a line of a stack, and of what Node itself says as a process ends. */
function keptOfPlain(line: string): string {
  if (isFrame(line) || /^Node\.js v[\d.]+$/.test(line) || line === '') return line
  const [, before = '', type, message = ''] = /^(caused by: )?(\w*Error)\b(?:: (.*))?/.exec(line) ?? []
  return type === undefined ? leftOut(line) : `${before}${type}: ${messageOf({ type, message })}`
}

function isFrame(line: string): boolean {
  return /^ +at [\w$.<>#[\] ]*\(?(node:[\w/]+|[^()]+\.[cm]?[jt]s):\d+:\d+\)?$/.test(line)
}

function withoutQuoted(text: string): string {
  return text.replace(/(["'`]).*\1/s, '$1…$1')
}

function leftOut(text: string): string {
  return `[${text.length} characters left out]`
}

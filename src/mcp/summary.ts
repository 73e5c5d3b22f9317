import { describeSize, summarizeList } from '../contract/format.ts'

type Data = Readonly<Record<string, unknown>>

/** Longest text of a value, in characters; the structured content has all of it. */
const maxValueLength = 400

/** Items of a list that are shown. */
const maxListItems = 20

/** Longest summary without its next step, in characters. */
const maxDetailsLength = 4000

/** Fields that the headline, the list of files or the next step contain. */
const headFields = new Set([
  ...['task_type', 'task_id', 'transfer_id', 'status', 'progress', 'next_step', 'files', 'output', 'error'],
  ...['name', 'path', 'bytes'],
])

/**
 * Renders a tool's data as a short text for clients that show the model only text: what it is and its state, then
 * files with their paths, facts, error, open questions, and last the next step. Long lists and values are shortened.
 */
export function summarizeData(data: Data): string {
  const { next_step, files, output, error } = data
  const details = [
    headline(data),
    ...describeFiles(files),
    ...describeFields(withoutNames(data, headFields)),
    ...(isRecord(output) ? describeOutput(output) : []),
    ...(error === undefined ? [] : [`Error: ${isRecord(error) ? describeFailure(error) : text(error)}`]),
  ].filter((line) => line !== '')
  const next = typeof next_step === 'string' ? [`Next: ${next_step}`] : []
  return [...limitLines(details), ...next].join('\n')
}

/** Returns the first lines that fit, and the number of those that do not. */
function limitLines(lines: readonly string[]): readonly string[] {
  let length = 0
  const count = lines.findIndex((line) => (length += line.length + 1) > maxDetailsLength)
  if (count < 0) return lines
  return [...lines.slice(0, count), `and ${lines.length - count} more lines in the structured content`]
}

function headline({ task_type, task_id, transfer_id, status, progress, name, path, bytes }: Data): string {
  const subject = [task_type, path ?? name].find((part) => typeof part === 'string')
  const state =
    status === 'processing' || status === 'uploading' ? `${text(status)} ${text(progress)} %` : status
  const parts = [
    ...[subject, state].filter((part) => typeof part === 'string'),
    ...(typeof bytes === 'number' ? [describeSize(bytes)] : []),
    ...(task_id === undefined ? [] : [`task_id ${text(task_id)}`]),
    ...(transfer_id === undefined ? [] : [`transfer_id ${text(transfer_id)}`]),
  ]
  return parts.join(', ')
}

function describeFiles(files: unknown): string[] {
  if (!Array.isArray(files)) return []
  return files.filter(isRecord).map((file) => {
    const { path, url, file_id, role, bytes, duration, name } = file
    const facts = [
      text(role),
      ...(typeof bytes === 'number' ? [describeSize(bytes)] : []),
      ...(typeof duration === 'number' ? [`${duration} s`] : []),
      ...(url === undefined ? [] : [`file_id ${text(file_id)}`]),
    ]
    const title = url === undefined ? '' : `${text(name)}: `
    return `File: ${title}${text(path ?? url ?? `file_id ${text(file_id)}`)} (${facts.join(', ')})`
  })
}

/** Facts of a task's output. Its files are listed already, and the next step contains its notes. */
function describeOutput(output: Data): string[] {
  const shown = Object.entries(output).filter(([name]) => name !== 'notes' && !/(^|_)file_id$/.test(name))
  return describeFields(Object.fromEntries(shown))
}

function describeFailure({ code, message, hint }: Data): string {
  return [`${text(code)}: ${text(message)}`, ...(hint === undefined ? [] : [`Fix: ${text(hint)}`])].join('. ')
}

/** One line for each field; one more for each object of a list. */
function describeFields(fields: Data): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === '') return []
    if (!Array.isArray(value) || !value.some(isRecord)) return [`${name}: ${inline(value)}`]
    const more = value.length - maxListItems
    return [
      `${name}:`,
      ...value.slice(0, maxListItems).map((item) => `- ${inline(item)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ]
  })
}

/** A value on one line: the fields of an object as `name value`. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return shorten(summarizeList(value.map(inline), maxListItems, ', '))
  if (!isRecord(value)) return shorten(text(value))
  const known = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return shorten(known.map(([name, each]) => `${name} ${nested(each)}`).join(', '))
}

function nested(value: unknown): string {
  if (Array.isArray(value)) return `[${inline(value)}]`
  return isRecord(value) ? `(${inline(value)})` : inline(value)
}

function shorten(value: string): string {
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function withoutNames(data: Data, names: ReadonlySet<string>): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)))
}

function isRecord(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

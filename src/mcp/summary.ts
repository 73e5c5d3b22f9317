import { describeSize, summarizeList } from '../contract/format.ts'
import { isRecord } from '../contract/validation.ts'

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
  ...['name', 'path', 'bytes', 'assumed'],
])

/**
 * Renders a tool's data as a short text for clients that show the model only text: what it is and its state, then
 * files with their paths, facts, error, open questions, and last the next step. Long lists and values are shortened.
 */
export function summarizeData(data: Data): string {
  const { next_step, files, assumed, output, error } = data
  const step = typeof next_step === 'string' ? next_step : ''
  const details = [
    headline(data),
    ...fileLines(files),
    ...fieldLines({ assumed: unstatedTexts(assumed, step) }),
    ...fieldLines(withoutNames(data, headFields)),
    ...(isRecord(output) ? outputLines(output, step) : []),
    ...(error === undefined ? [] : [`Error: ${isRecord(error) ? failureText(error) : text(error)}`]),
  ].filter((line) => line !== '')
  const next = step === '' ? [] : [`Next: ${step}`]
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

function fileLines(files: unknown): string[] {
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

/** Facts of a task's output. Its files are listed already. */
function outputLines(output: Data, step: string): string[] {
  const shown = Object.entries(output).filter(([name]) => name !== 'notes' && !/(^|_)file_id$/.test(name))
  return fieldLines({ ...Object.fromEntries(shown), notes: unstatedTexts(output['notes'], step) })
}

/** Those texts of a list that the next step does not contain; undefined if it contains them all. */
function unstatedTexts(texts: unknown, step: string): unknown {
  if (!Array.isArray(texts)) return texts
  const unstated = texts.filter((each) => typeof each !== 'string' || !step.includes(each))
  return unstated.length > 0 ? unstated : undefined
}

function failureText({ code, message, hint }: Data): string {
  return [`${text(code)}: ${text(message)}`, ...(hint === undefined ? [] : [`Fix: ${text(hint)}`])].join('. ')
}

/** One line for each field, also for those of an object that contains others, and for each object of a list. */
function fieldLines(fields: Data): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!isRecord(value) || !Object.values(value).some(isNested)) return valueLines(name, value)
    return Object.entries(value).flatMap(([inner, each]) => valueLines(`${name}.${inner}`, each))
  })
}

function isNested(value: unknown): boolean {
  return isRecord(value) || (Array.isArray(value) && value.length > 0)
}

function valueLines(name: string, value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  if (!Array.isArray(value) || !value.some(isRecord)) return [`${name}: ${inline(value)}`]
  const more = value.length - maxListItems
  return [
    `${name}:`,
    ...value.slice(0, maxListItems).map((item) => `- ${inline(item)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
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

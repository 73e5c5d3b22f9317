import { describeSize, summarizeList } from '../contract/format.ts'
import { isRecord } from '../contract/validation.ts'

type Data = Readonly<Record<string, unknown>>

/** How much of the data a text shows; the structured content has all of it. */
export interface TextLimits {
  /** Longest text of a value, in characters. */
  readonly value: number
  /** Items of a list. */
  readonly items: number
  /** Longest summary without its next step, in characters. */
  readonly total: number
}

/** Limits of tools that declare none. */
const defaultLimits: TextLimits = { value: 400, items: 20, total: 4000 }

/** Fields that the headline, the list of files or the next step contain. */
const headFields = new Set([
  ...['task_type', 'task_id', 'transfer_id', 'status', 'progress', 'next_step', 'files', 'output', 'error'],
  ...['name', 'path', 'bytes', 'assumed', 'questions'],
])

/**
 * Renders a tool's data as a short text for clients that show the model only text: what it is and its state, then
 * files with their paths, facts, error, the next step, and last the questions to the agent. Lists and values beyond the limits are shortened.
 */
export function summarizeData(data: Data, limits: TextLimits = defaultLimits): string {
  const { next_step, files, assumed, output, error, questions } = data
  const step = typeof next_step === 'string' ? next_step : ''
  const details = [
    headline(data),
    ...fileLines(files),
    ...fieldLines({ assumed: unstatedTexts(assumed, step) }, limits),
    ...fieldLines(withoutNames(data, headFields), limits),
    ...(isRecord(output) ? fieldLines(outputFacts(output, step), limits) : []),
    ...(error === undefined ? [] : [`Error: ${isRecord(error) ? failureText(error) : text(error)}`]),
  ].filter((line) => line !== '')
  const next = step === '' ? [] : [`Next: ${step}`]
  // The agent answers them, so that they are stated whole.
  const asked = questions === undefined ? [] : [`Questions: ${JSON.stringify(questions)}`]
  return [...limitLines(details, limits), ...next, ...asked].join('\n')
}

/** Returns the first lines that fit, and the number of those that do not. */
function limitLines(lines: readonly string[], { total }: TextLimits): readonly string[] {
  let length = 0
  const count = lines.findIndex((line) => (length += line.length + 1) > total)
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
function outputFacts(output: Data, step: string): Data {
  const shown = Object.entries(output).filter(([name]) => name !== 'notes' && !/(^|_)file_id$/.test(name))
  return { ...Object.fromEntries(shown), notes: unstatedTexts(output['notes'], step) }
}

/** Those texts of a list that the next step does not contain; undefined if it contains them all. */
function unstatedTexts(texts: unknown, step: string): unknown {
  if (!Array.isArray(texts)) return texts
  const unstated = texts.filter((each) => typeof each !== 'string' || !step.includes(each))
  return unstated.length > 0 ? unstated : undefined
}

function failureText({ code, message, hint }: Data): string {
  return [
    `${text(code)}: ${text(message).replace(/\.$/, '')}`,
    ...(hint === undefined ? [] : [`Fix: ${text(hint)}`]),
  ].join('. ')
}

/** One line for each field, also for those of an object that contains others, and for each object of a list. */
function fieldLines(fields: Data, limits: TextLimits): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!isRecord(value) || !Object.values(value).some(isNested)) return valueLines(name, value, limits)
    return Object.entries(value).flatMap(([inner, each]) => valueLines(`${name}.${inner}`, each, limits))
  })
}

function isNested(value: unknown): boolean {
  return isRecord(value) || (Array.isArray(value) && value.length > 0)
}

function valueLines(name: string, value: unknown, limits: TextLimits): string[] {
  if (value === undefined || value === null || value === '') return []
  if (!Array.isArray(value) || !value.some(isRecord)) return [`${name}: ${inline(value, limits)}`]
  const more = value.length - limits.items
  return [
    `${name}:`,
    ...value.slice(0, limits.items).map((item) => `- ${inline(item, limits)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

/** A value on one line: the fields of an object as `name value`. */
function inline(value: unknown, limits: TextLimits): string {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => inline(item, limits))
    return shorten(summarizeList(items, limits.items, ', '), limits)
  }
  if (!isRecord(value)) return shorten(text(value), limits)
  const known = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return shorten(known.map(([name, each]) => `${name} ${nested(each, limits)}`).join(', '), limits)
}

function nested(value: unknown, limits: TextLimits): string {
  if (Array.isArray(value)) return `[${inline(value, limits)}]`
  return isRecord(value) ? `(${inline(value, limits)})` : inline(value, limits)
}

function shorten(value: string, limits: TextLimits): string {
  return value.length > limits.value ? `${value.slice(0, limits.value)}…` : value
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function withoutNames(data: Data, names: ReadonlySet<string>): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)))
}

import { jsonrepair } from 'jsonrepair'
import type * as z from 'zod'
import { plainIssueMessage } from '../../contract/validation.ts'
import { parseJson } from '../../platform/text-formats.ts'

/** What an answer's text holds: what was asked for, or what is wrong with it, for the model to read. */
export type ParsedAnswer<T> = { readonly answer: T } | { readonly mistakes: readonly string[] }

/** Begins of objects that are looked at: an answer has one, a chatty one some more. */
const maxStarts = 50

/** Mistakes that are told at once. */
const maxMistakes = 8

/**
 * Finds the answer in what a model wrote: behind its thoughts, in fences or chat, once or several times (then the
 * last one that keeps the schema counts), in JSON or nearly so. What was cut off in the middle is no answer, however
 * well it could be closed: something is missing in it.
 */
export function parseAnswer<S extends z.ZodObject>(schema: S, text: string): ParsedAnswer<z.output<S>> {
  const said = stripReasoning(text)
  if (said === '') return { mistakes: ['The answer was empty.'] }
  const found = findObjects(said)
  const candidates = found.length > 0 ? found : widestObject(said)
  let mistakes: readonly string[] = ['The answer held no whole JSON object.']
  for (const candidate of candidates.toReversed()) {
    const read = schema.safeParse(candidate, { error: plainIssueMessage })
    if (read.success) return { answer: read.data }
    mistakes = read.error.issues.slice(0, maxMistakes).map(describeIssue)
  }
  return { mistakes }
}

/** Thoughts end before the answer; their begin may stand in the prompt. Thoughts without an end have no answer. */
export function stripReasoning(text: string): string {
  const end = text.lastIndexOf('</think>')
  const answer = end < 0 ? text : text.slice(end + '</think>'.length)
  return answer.replace(/<think>[\s\S]*$/, '').trim()
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

/** Every whole object of a text, in order, those inside another left out. */
function findObjects(text: string): unknown[] {
  const found: unknown[] = []
  let from = text.indexOf('{')
  for (let starts = 0; from >= 0 && starts < maxStarts; starts += 1) {
    const end = endOfObject(text, from)
    // What begins as an object and has no end was cut off: its parts are not the answer.
    if (end === null && /^\{\s*["}]/.test(text.slice(from, from + 100))) break
    const object = end === null ? undefined : parseObject(text.slice(from, end))
    if (object !== undefined) found.push(object)
    from = text.indexOf('{', object === undefined || end === null ? from + 1 : end)
  }
  return found
}

/** Where the object that begins at a brace ends, strings respected; null where it does not. */
function endOfObject(text: string, from: number): number | null {
  let [depth, inString] = [0, false]
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (inString && char === '\\') at += 1
    else if (char === '"') inString = !inString
    else if (!inString && char === '{') depth += 1
    else if (!inString && char === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

/** All from the first brace to the last, where quotes inside of strings hide where an object ends. */
function widestObject(text: string): unknown[] {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  const count = (sign: string): number => object.split(sign).length
  // Repairing would close what was cut off.
  const isWhole = object !== '' && count('{') === count('}') && count('[') === count(']')
  const read = isWhole ? parseObject(object) : undefined
  return read === undefined ? [] : [read]
}

/** An object in JSON, or with the quotes, commas and comments that JSON does not have. */
function parseObject(text: string): unknown {
  const read = parseJson(text)
  if (read !== undefined) return read
  try {
    return parseJson(jsonrepair(text))
  } catch {
    return undefined
  }
}

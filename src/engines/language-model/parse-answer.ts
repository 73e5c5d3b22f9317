import { jsonrepair } from 'jsonrepair'
import type * as z from 'zod'
import { plainIssueMessage } from '../../contract/validation.ts'
import { parseJson } from '../../contract/bounded-json.ts'

/** A parsed answer: the validated object, or its issues as text for the model. */
export type ParsedAnswer<T> = { readonly answer: T } | { readonly issues: readonly string[] }

/** Maximum number of opening braces that are examined. */
const maxStarts = 50

/** Maximum number of issues that are reported. */
const maxIssues = 8

/**
 * Finds the answer in the text of a model: after its reasoning, inside code fences or chat, in JSON or almost JSON. Of
 * several valid objects the last one counts. Rejects truncated objects even if they could be repaired, as data is
 * missing.
 */
export function parseAnswer<S extends z.ZodObject>(schema: S, text: string): ParsedAnswer<z.output<S>> {
  const answer = stripReasoning(text)
  if (answer === '') return { issues: ['The answer was empty.'] }
  const found = findObjects(answer)
  const candidates = found.length > 0 ? found : widestObject(answer)
  let issues: readonly string[] = ['The answer contained no complete JSON object.']
  for (const candidate of candidates.toReversed()) {
    const read = schema.safeParse(candidate, { error: plainIssueMessage })
    if (read.success) return { answer: read.data }
    issues = read.error.issues.slice(0, maxIssues).map(describeIssue)
  }
  return { issues }
}

/**
 * Removes reasoning before the answer. Its opening tag may be missing; reasoning without a closing tag has no answer.
 */
export function stripReasoning(text: string): string {
  const end = text.lastIndexOf('</think>')
  const answer = end < 0 ? text : text.slice(end + '</think>'.length)
  return answer.replace(/<think>[\s\S]*$/, '').trim()
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

/** Returns all complete top-level objects of a text, in order. */
function findObjects(text: string): unknown[] {
  const found: unknown[] = []
  let from = text.indexOf('{')
  for (let starts = 0; from >= 0 && starts < maxStarts; starts += 1) {
    const end = endOfObject(text, from)
    // An object without an end was truncated: the objects inside it are not the answer.
    if (end === null && /^\{\s*["}]/.test(text.slice(from, from + 100))) break
    const object = end === null ? undefined : parseObject(text.slice(from, end))
    if (object !== undefined) found.push(object)
    from = text.indexOf('{', object === undefined || end === null ? from + 1 : end)
  }
  return found
}

/** Returns the end offset of the object at a brace, ignoring braces in strings; null if it does not end. */
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

/** Parses from the first brace to the last, for answers whose unescaped quotes hide the end of the object. */
function widestObject(text: string): unknown[] {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  const count = (sign: string): number => object.split(sign).length
  // Repairing would close a truncated object.
  const isWhole = object !== '' && count('{') === count('}') && count('[') === count(']')
  const read = isWhole ? parseObject(object) : undefined
  return read === undefined ? [] : [read]
}

/** Parses JSON, or JSON with wrong quotes, commas or comments. */
function parseObject(text: string): unknown {
  const read = parseJson(text)
  if (read !== undefined) return read
  try {
    return parseJson(jsonrepair(text))
  } catch {
    return undefined
  }
}

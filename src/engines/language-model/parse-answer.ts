import { jsonrepair } from 'jsonrepair'
import * as z from 'zod'
import { plainIssueMessage } from '../../contract/validation.ts'
import { parseJson } from '../../contract/bounded-json.ts'

/** A parsed answer: the validated object, or its issues as text for the model. */
export type ParsedAnswer<T> = { readonly answer: T } | { readonly issues: readonly string[] }

/** Maximum number of opening braces that are examined. */
const maxStarts = 50

/** Maximum number of issues that are reported. */
export const maxIssues = 8

/**
 * Finds the answer in the text of a model: after its reasoning, inside code fences or chat, in JSON or almost JSON. Of
 * several valid objects the last one counts. If the schema has a list as its only field, the list alone is accepted too:
 * as an array, or as its items one after another. Rejects truncated objects even if they could be repaired, as data is
 * missing.
 */
export function parseAnswer<S extends z.ZodObject>(schema: S, text: string): ParsedAnswer<z.output<S>> {
  const answer = stripReasoning(text)
  if (answer === '') return { issues: ['The answer was empty.'] }
  const objects = findValues(answer, '{')
  const candidates = objects.found.length > 0 ? objects.found : widestObject(answer)
  let issues: readonly string[] = ['The answer contained no complete JSON object.']
  for (const candidate of candidates.toReversed()) {
    const read = schema.safeParse(candidate, { error: plainIssueMessage })
    if (read.success) return { answer: read.data }
    issues = read.error.issues.slice(0, maxIssues).map(describeIssue)
  }
  for (const candidate of bareLists(schema, answer, objects)) {
    const read = schema.safeParse(candidate)
    if (read.success) return { answer: read.data }
  }
  return { issues }
}

/** Returns lists without their object, each in an object of the schema; none if the schema has other fields. */
function bareLists(schema: z.ZodObject, text: string, objects: FoundValues): unknown[] {
  const [[name, field] = [], ...others] = Object.entries(schema.shape)
  if (name === undefined || others.length > 0 || !(field instanceof z.ZodArray)) return []
  if (objects.isTruncated) return []
  const arrays = findValues(text, '[')
  // An array that was truncated begins before the objects inside it.
  const items = arrays.isTruncated ? [] : [objects.found]
  return [...arrays.found.toReversed(), ...items]
    .filter((list) => Array.isArray(list) && list.length > 0)
    .map((list) => ({ [name]: list }))
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

interface FoundValues {
  readonly found: readonly unknown[]
  /** Whether one has no end. */
  readonly isTruncated: boolean
}

/** An opening bracket, its closing one, and how a truncated value begins. */
const brackets = {
  '{': { close: '}', truncated: /^\{\s*["}]/ },
  '[': { close: ']', truncated: /^\[\s*[{\]]/ },
} as const

/** Returns all complete top-level objects or arrays of a text, in order, up to one that was truncated. */
function findValues(text: string, open: keyof typeof brackets): FoundValues {
  const { truncated } = brackets[open]
  const found: unknown[] = []
  let from = text.indexOf(open)
  for (let starts = 0; from >= 0 && starts < maxStarts; starts += 1) {
    const end = endOfValue(text, from, open)
    // The values inside one that was truncated are not the answer.
    if (end === null && truncated.test(text.slice(from, from + 100))) return { found, isTruncated: true }
    const value = end === null ? undefined : parseAlmostJson(text.slice(from, end))
    if (value !== undefined) found.push(value)
    from = text.indexOf(open, value === undefined || end === null ? from + 1 : end)
  }
  return { found, isTruncated: from >= 0 }
}

/** Returns the end offset of the value at a bracket, ignoring brackets in strings; null if it does not end. */
function endOfValue(text: string, from: number, open: keyof typeof brackets): number | null {
  const { close } = brackets[open]
  let [depth, inString] = [0, false]
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (inString && char === '\\') at += 1
    else if (char === '"') inString = !inString
    else if (!inString && char === open) depth += 1
    else if (!inString && char === close) {
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
  const read = isWhole ? parseAlmostJson(object) : undefined
  return read === undefined ? [] : [read]
}

/** Parses JSON, or JSON with wrong quotes, commas or comments. */
function parseAlmostJson(text: string): unknown {
  const read = parseJson(text)
  if (read !== undefined) return read
  try {
    return parseJson(jsonrepair(text))
  } catch {
    return undefined
  }
}

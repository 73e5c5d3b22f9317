import { MediaError } from './errors.ts'

/** Deepest nesting of lists and objects in foreign JSON. */
export const maxJsonDepth = 64

/** Most keys of one object in foreign JSON: objects with more become slow hash tables. */
export const maxJsonKeys = 10_000

/** Most values and keys in foreign JSON, whatever its size: 50,000 regions to remove and as many to protect. */
export const maxJsonElements = 2 ** 21

/** Bytes of a size limit for each value or key that the text may contain. */
const bytesPerElement = 16

/** Most values and keys in JSON that may have `maxBytes` bytes. */
export function jsonElementLimit(maxBytes: number): number {
  return Math.min(maxJsonElements, Math.floor(maxBytes / bytesPerElement))
}

/** Limits of foreign JSON. */
export interface JsonLimits {
  /** Values and keys together; `maxJsonElements` by default. */
  readonly maxElements?: number
}

/** Size of JSON in terms of its structure. */
export interface JsonStructure {
  /** Deepest nesting; 0 without lists and objects. */
  readonly depth: number
  /** Commas, colons and opening brackets outside of strings: at least half the number of values and keys. */
  readonly elements: number
  /** Keys of the object that has the most. */
  readonly keys: number
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Measures JSON in UTF-8 in one pass, about 1 ns per byte, without parsing it. Of invalid JSON, the result is an upper
 * bound of what a parser creates before it notices.
 */
export function measureJson(bytes: Uint8Array): JsonStructure {
  // Keys of the open objects by depth; deeper ones share the last place.
  const keysAt = new Int32Array(maxJsonDepth + 2)
  let [depth, deepest, elements, keys] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      at = endOfString(bytes, at)
    } else if (byte === comma) {
      elements += 1
    } else if (byte === colon) {
      elements += 1
      const place = Math.min(depth, keysAt.length - 1)
      const count = (keysAt[place] ?? 0) + 1
      keysAt[place] = count
      if (count > keys) keys = count
    } else if (byte === openList || byte === openObject) {
      elements += 1
      depth += 1
      if (depth > deepest) deepest = depth
      keysAt[Math.min(depth, keysAt.length - 1)] = 0
    } else if (byte === closeList || byte === closeObject) {
      depth = Math.max(0, depth - 1)
    }
  }
  return { depth: deepest, elements, keys }
}

/** Position of the quote that ends a string, or of the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** Throws 6016 for JSON that is nested too deeply, or has too many values or keys. `name` names it: `the body`. */
export function checkJsonStructure(
  { depth, elements, keys }: JsonStructure,
  name: string,
  { maxElements = maxJsonElements }: JsonLimits = {},
): void {
  const refuse = (found: string, hint: string) => new MediaError(6016, `${name} ${found}`, { hint })
  if (depth > maxJsonDepth) {
    throw refuse(
      `is nested ${depth} levels deep; at most ${maxJsonDepth} are allowed`,
      'Send lists and objects with fewer levels.',
    )
  }
  if (elements > maxElements) {
    throw refuse(
      `has ${elements} values and keys; at most ${maxElements} are allowed`,
      'Send fewer entries, and only documented fields.',
    )
  }
  if (keys > maxJsonKeys) {
    throw refuse(
      `has an object with ${keys} keys; at most ${maxJsonKeys} are allowed`,
      'Send only documented fields.',
    )
  }
}

/** Checks a value that was already parsed, as `checkJsonStructure` does. Throws 6016. */
export function checkJsonValue(value: unknown, name: string, limits?: JsonLimits): void {
  checkJsonStructure(measureValue(value), name, limits)
}

/** Measures a parsed value level by level, without recursion. */
function measureValue(value: unknown): JsonStructure {
  let [depth, elements, keys] = [0, 0, 0]
  let level = [value]
  while (level.length > 0) {
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue
      const children: unknown[] = Array.isArray(one) ? one : Object.values(one)
      elements += Array.isArray(one) ? one.length : 2 * children.length
      if (!Array.isArray(one)) keys = Math.max(keys, children.length)
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child)
    }
    if (level.some((one) => typeof one === 'object' && one !== null)) depth += 1
    level = next
  }
  return { depth, elements, keys }
}

/** Parses foreign JSON. Returns undefined for invalid JSON and JSON beyond the limits, which schemas then reject. */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  try {
    checkJsonStructure(measureJson(new TextEncoder().encode(text)), 'the text', limits)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses foreign JSON in UTF-8. Throws 6016 for invalid JSON, JSON beyond the limits, and keys that could replace the
 * prototype of an object. `name` names it: `the body`.
 */
export function parseJsonBytes(bytes: Uint8Array, name: string, limits?: JsonLimits): unknown {
  checkJsonStructure(measureJson(bytes), name, limits)
  return parseChecked(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), name)
}

/** Parses foreign JSON as `parseJsonBytes` does. */
export function parseJsonText(text: string, name: string, limits?: JsonLimits): unknown {
  checkJsonStructure(measureJson(new TextEncoder().encode(text)), name, limits)
  return parseChecked(text, name)
}

/** Parses JSON within the limits. Throws 6016. */
function parseChecked(text: string, name: string): unknown {
  let value: unknown
  try {
    // Some editors start a text with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw invalidJson(name, cause instanceof Error ? cause.message : String(cause))
  }
  // A name can be written with escapes.
  if (/__proto__|constructor|\\u/.test(text) && hasPrototypeKey(value)) {
    throw invalidJson(name, 'it has a key that names the prototype of objects')
  }
  return value
}

function invalidJson(name: string, why: string): MediaError {
  return new MediaError(6016, `${name} is not valid JSON: ${why}`, {
    hint: 'Correct the JSON, then try again.',
  })
}

/** Whether an object has a key `__proto__`, or `constructor` with a `prototype`. Recursive: at most `maxJsonDepth`. */
function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasPrototypeKey)
  return Object.entries(value).some(
    ([key, child]: [string, unknown]) =>
      key === '__proto__' ||
      (key === 'constructor' &&
        typeof child === 'object' &&
        child !== null &&
        Object.hasOwn(child, 'prototype')) ||
      hasPrototypeKey(child),
  )
}

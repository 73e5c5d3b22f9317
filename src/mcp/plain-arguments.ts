import { isRecord } from '../contract/validation.ts'
import { maxPathLength } from './workspace.ts'

/** Longest argument that is kept with its task, in characters: that of a path. */
const maxPlainLength = maxPathLength

/** Most items of a list that is kept with its task. */
const maxPlainItems = 32

function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= maxPlainLength : typeof value !== 'object'
}

/** Arguments that are short texts, numbers or switches, or short lists of objects of these. */
export function plainArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isPlainList = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length <= maxPlainItems &&
    value.every((item) => isRecord(item) && Object.values(item).every(isPlain))
  return Object.fromEntries(Object.entries(args).filter(([, value]) => isPlain(value) || isPlainList(value)))
}

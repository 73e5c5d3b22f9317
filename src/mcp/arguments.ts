import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKindsOf, findFileRefs } from '../contract/file.ts'
import {
  type AnySchema,
  correctionHint,
  describeFields,
  fieldSchema,
  missingFields,
  missingFieldsHint,
  schemaAt,
  unwrapSchema,
} from '../contract/suggest-fix.ts'
import { id } from '../contract/fields.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'
import type { Operation } from '../contract/operation.ts'
import { nearValueHint } from './near-values.ts'
import { type NormalizedArguments, normalizeArguments } from './normalize-arguments.ts'
import { sizeHint } from './size-forms.ts'

/** Valid arguments of a tool. */
interface ParsedArguments<Input extends z.ZodObject> extends Pick<NormalizedArguments, 'assumed'> {
  readonly args: z.output<Input>
}

/** Normalizes and validates a tool's arguments. Throws 6013 for missing fields, 6016 for unknown or invalid ones. */
export function parseArguments<Input extends z.ZodObject>(
  input: Input,
  given: unknown,
): ParsedArguments<Input> {
  const { args, assumed } = normalizeArguments(input, given)
  return { args: validateArguments(input, args), assumed }
}

/** Validates normalized arguments. Throws 6013 for missing top-level fields, 6016 for everything else. */
export function validateArguments<Input extends z.ZodObject>(
  input: Input,
  read: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const missing = missingFields(input, read)
  if (missing.length > 0) {
    throw new MediaError(6013, `Required: ${missing.join(', ')}`, { hint: missingFieldsHint(input, missing) })
  }
  const parsed = input.safeParse(read, { error: plainIssueMessage })
  if (parsed.success) return parsed.data
  throw new MediaError(6016, describeIssues(parsed.error, 'arguments'), {
    hint: firstValueHint(input, parsed.error, read) ?? correctionHint(input, parsed.error, read),
  })
}

/** Instruction for the first invalid value, where names of values explain it. */
function firstValueHint(input: z.ZodObject, { issues }: z.ZodError, given: unknown): string | undefined {
  const { code, path = [] } = issues[0] ?? {}
  const schema = schemaAt(input, path)
  if (code === 'invalid_type') return schema && sizeHint(schema)
  // Refinements of valid values have their own instruction.
  if (code !== 'invalid_value' && code !== 'invalid_format') return undefined
  const value = path.reduce<unknown>(
    (holder, key) => (holder as Record<PropertyKey, unknown> | undefined)?.[key],
    given,
  )
  return schema && nearValueHint(schema, value)
}

interface MeaningfulArguments {
  readonly args: Readonly<Record<string, unknown>>
  /** Names of arguments that this kind of request ignores. */
  readonly ignored: readonly string[]
}

/**
 * Removes arguments without meaning, as some clients fill in every field: empty or default values of fields that this
 * kind of request ignores, or that a file replaces. Throws 6013 for fields that this kind requires.
 */
export function removeEmptyArguments(
  { input, selectFields: read }: Operation,
  filled: Readonly<Record<string, unknown>>,
): MeaningfulArguments {
  const given = Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => value !== '' || !isOptionalId(fieldSchema(input, name))),
  )
  const isRead = Object.entries(read ? read(given) : given).filter(([, value]) => value !== undefined)
  const names = new Set(isRead.map(([name]) => name))
  const inFiles = new Set(findFileRefs(input, given).map(({ insteadOf }) => insteadOf))
  const meant = Object.entries(given).filter(
    ([name, value]) =>
      (names.has(name) && !inFiles.has(name)) || !isEmptyOrDefault(fieldSchema(input, name), value),
  )
  return {
    args: Object.fromEntries(meant),
    ignored: meant.flatMap(([name]) => (names.has(name) ? [] : name)),
  }
}

/** Throws 6016 for ignored arguments. The service ignores them (contract 2, 4.1), but the agent had an intention. */
export function rejectIgnoredArguments(
  operation: Operation,
  args: Readonly<Record<string, unknown>>,
  unread: readonly string[],
): void {
  if (unread.length === 0) return
  const [it, itCounts] = unread.length === 1 ? ['it', 'it is used'] : ['them', 'they are used']
  const choice = choiceThatReads(operation, args, unread)
  throw new MediaError(6016, `${unread.join(', ')}: ignored by this kind of request`, {
    hint:
      choice === undefined
        ? `Leave ${it} out, or change the request so that ${itCounts}: ${describeFields(operation.input, unread)}`
        : `${choice} Or leave ${it} out.`,
  })
}

/** Instruction to set the one field with which a valid request reads all ignored arguments. */
function choiceThatReads(
  { input, selectFields }: Operation,
  args: Readonly<Record<string, unknown>>,
  unread: readonly string[],
): string | undefined {
  const choices = Object.entries(input.shape as z.ZodRawShape).flatMap(([name, field]) => {
    const inner = unwrapSchema(field)
    return inner instanceof z.ZodEnum ? inner.options.map((value) => ({ name, value })) : []
  })
  const fitting = choices.find(({ name, value }) => {
    const changed = { ...args, [name]: value }
    const read = input.safeParse(changed).success ? readFields(selectFields, changed) : {}
    return unread.every((one) => read[one] !== undefined)
  })
  if (!fitting) return undefined
  return `${args[fitting.name] === undefined ? 'Add' : 'Set'} ${fitting.name}: ${fitting.value}.`
}

/** Fields that a request reads; none if it is incomplete. */
function readFields(
  select: Operation['selectFields'],
  request: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return select?.(request) ?? {}
  } catch {
    return {}
  }
}

/** Whether a field is an optional id or file: an empty string there means that it is absent. */
function isOptionalId(field: AnySchema | undefined): boolean {
  if (field === undefined) return false
  const inner = unwrapSchema(field)
  return inner !== field && (inner === id || fileKindsOf(inner) !== undefined)
}

function isEmptyOrDefault(field: AnySchema | undefined, value: unknown): boolean {
  if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0))
    return true
  return field !== undefined && isDeepStrictEqual(value, z.safeParse(field, undefined).data)
}

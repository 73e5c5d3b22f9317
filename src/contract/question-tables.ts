import type { JsonSchema } from './json-schema.ts'
import { isRecord } from './validation.ts'

// Lists of equal objects as tables, which take agents about half the tokens: column names once, then rows of values.

type Data = Readonly<Record<string, unknown>>

/** Replaces each list of equal flat objects in the fields of an input by `{columns, rows}`. */
export function toTables(input: Data): Data {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, toTable(value) ?? value]))
}

function toTable(value: unknown): { readonly columns: string[]; readonly rows: unknown[][] } | undefined {
  if (!Array.isArray(value) || !value.every(isRecord)) return undefined
  const [first] = value
  if (!first) return undefined
  const columns = Object.keys(first)
  const isRow = (item: Data): boolean =>
    columns.length === Object.keys(item).length &&
    columns.every((column) => column in item && typeof item[column] !== 'object')
  return value.every(isRow)
    ? { columns, rows: value.map((item) => columns.map((column) => item[column])) }
    : undefined
}

/** Columns of the rows of a list. */
interface RowColumns {
  readonly names: readonly string[]
  /** Number of values that a row has at least: the last optional columns may be absent. */
  readonly least: number
}

/** Columns of the lists of objects in the fields of an answer, by field. */
function listColumns({ properties = {} }: JsonSchema): Map<string, RowColumns> {
  const lists = Object.entries(properties).flatMap(([name, field]) => {
    const items = typeof field === 'object' && !Array.isArray(field.items) ? field.items : undefined
    const { properties: columns = {}, required = [] } = typeof items === 'object' ? items : {}
    const names = Object.keys(columns)
    const least = names.findLastIndex((column) => required.includes(column)) + 1
    return names.length > 0 ? [[name, { names, least }] as const] : []
  })
  return new Map(lists)
}

/** Describes the lists of objects of an answer as rows of values, in the order of their columns. */
export function toTableSchema(schema: JsonSchema): JsonSchema {
  const lists = listColumns(schema)
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const list = lists.get(name)
    if (!list || typeof field !== 'object') return [name, field] as const
    const { items } = field
    const columns = typeof items === 'object' && !Array.isArray(items) ? (items.properties ?? {}) : {}
    const prefixItems = Object.entries(columns).map(([title, column]) =>
      typeof column === 'object' ? { title, ...column } : column,
    )
    const bounds = { minItems: list.least, maxItems: list.names.length }
    return [name, { ...field, items: { type: 'array' as const, prefixItems, ...bounds } }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Converts rows in the lists of an answer to objects; anything else stays unchanged. */
export function fromTables(schema: JsonSchema, answer: unknown): unknown {
  if (!isRecord(answer)) return answer
  const tables = new Map(givenTables(schema, answer).map((table) => [table.name, table]))
  const fields = Object.entries(answer).map(([name, value]) => {
    const table = tables.get(name)
    return [name, table ? table.rows.map((row) => fromRow(table.columns, row)) : value] as const
  })
  return Object.fromEntries(fields)
}

/** Names the rows of an answer that have too few or too many values, and the values that they need. */
export function findWrongRows(schema: JsonSchema, answer: unknown): string[] {
  if (!isRecord(answer)) return []
  return givenTables(schema, answer).flatMap(({ name, columns, rows }) =>
    rows.flatMap((row, at) => {
      if (!Array.isArray(row) || hasRowLength(columns, row)) return []
      const count = row.length === 1 ? '1 value' : `${row.length} values`
      return [`${name}.${at}: has ${count}; give ${describeRow(columns)}`]
    }),
  )
}

/** A list of an answer, as rows or as a table with the names of its columns. */
interface GivenTable {
  readonly name: string
  readonly columns: RowColumns
  readonly rows: readonly unknown[]
}

function givenTables(schema: JsonSchema, answer: Data): GivenTable[] {
  return [...listColumns(schema)].flatMap(([name, columns]) => {
    const value = answer[name]
    if (Array.isArray(value)) return [{ name, columns, rows: value }]
    const { rows, columns: named } = isRecord(value) ? value : {}
    if (!Array.isArray(rows)) return []
    if (named === undefined) return [{ name, columns, rows }]
    return isSelection(columns.names, named)
      ? [{ name, columns: { names: named, least: named.length }, rows }]
      : []
  })
}

/** Whether a value lists some of the names, each once. */
function isSelection(names: readonly string[], value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false
  return value.every((name) => names.includes(name as string))
}

function hasRowLength({ names, least }: RowColumns, row: readonly unknown[]): boolean {
  return row.length >= least && row.length <= names.length
}

function fromRow(columns: RowColumns, row: unknown): unknown {
  if (!Array.isArray(row) || !hasRowLength(columns, row)) return row
  const names = columns.names.slice(0, row.length)
  return Object.fromEntries(names.map((column, at) => [column, row[at] as unknown]))
}

function describeRow({ names, least }: RowColumns): string {
  const whole = `[${names.join(', ')}]`
  return least === names.length ? whole : `[${names.slice(0, least).join(', ')}] or ${whole}`
}

/** Most characters of the outline of an answer. */
const maxOutlineLength = 300

/** Outlines an answer in one short line: its fields with their types, and lists of objects as rows of their columns. */
export function outlineAnswer(schema: JsonSchema): string {
  const lists = listColumns(schema)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const list = lists.get(name)
    const { type = 'any' } = typeof field === 'object' ? field : {}
    const form = list ? `[${describeRow(list)}, …]` : [type].flat().join(' or ')
    return `${JSON.stringify(name)}: ${form}`
  })
  const outline = `{${fields.join(', ')}}`
  return outline.length > maxOutlineLength ? `${outline.slice(0, maxOutlineLength)}…` : outline
}

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

/** Columns of the lists of objects in the fields of an answer, by field. */
function listColumns({ properties = {} }: JsonSchema): Map<string, readonly string[]> {
  const lists = Object.entries(properties).flatMap(([name, field]) => {
    const items = typeof field === 'object' && !Array.isArray(field.items) ? field.items : undefined
    const columns = typeof items === 'object' ? Object.keys(items.properties ?? {}) : []
    return columns.length > 0 ? [[name, columns] as const] : []
  })
  return new Map(lists)
}

/** Describes the lists of objects of an answer as rows of values, in the order of their columns. */
export function toTableSchema(schema: JsonSchema): JsonSchema {
  const lists = listColumns(schema)
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    if (!lists.has(name) || typeof field !== 'object') return [name, field] as const
    const { items } = field
    const columns = typeof items === 'object' && !Array.isArray(items) ? (items.properties ?? {}) : {}
    const prefixItems = Object.entries(columns).map(([title, column]) =>
      typeof column === 'object' ? { title, ...column } : column,
    )
    return [name, { ...field, items: { type: 'array' as const, prefixItems } }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Converts rows in the lists of an answer to objects; anything else stays unchanged. */
export function fromTables(schema: JsonSchema, answer: unknown): unknown {
  if (!isRecord(answer)) return answer
  const lists = listColumns(schema)
  const fields = Object.entries(answer).map(([name, value]) => {
    const columns = lists.get(name)
    return [name, columns ? fromTable(columns, value) : value] as const
  })
  return Object.fromEntries(fields)
}

function fromTable(columns: readonly string[], value: unknown): unknown {
  const rows = isRecord(value) ? value['rows'] : value
  if (!Array.isArray(rows)) return value
  return rows.map((row: unknown) =>
    Array.isArray(row) && row.length === columns.length
      ? Object.fromEntries(columns.map((column, at) => [column, row[at] as unknown]))
      : row,
  )
}

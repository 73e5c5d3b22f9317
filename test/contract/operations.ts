import { operations } from '../../tools/index.ts'
import type { OperationTables } from './tables.ts'

/** The tables of every operation, each from the file of its name in this folder. */
export const operationTables: readonly OperationTables[] = await Promise.all(
  operations.map(async ({ operation: { name } }) => {
    const file = name.replaceAll('_', '-')
    const exported = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    const module = (await import(/* @vite-ignore */ `./${file}.ts`)) as Record<
      string,
      OperationTables | undefined
    >
    const tables = module[exported]
    if (!tables) throw new Error(`test/contract/${file}.ts must export ${exported}`)
    return tables
  }),
)

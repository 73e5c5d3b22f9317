import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describePrice } from './contract/credits.ts'
import { errorTable } from './contract/errors.ts'
import type { Operation } from './contract/operation.ts'

// Writes what follows from the sources: tools/index.ts, and the tables between markers in the
// documents. With --check it changes nothing and fails when something is out of date.

const root = new URL('../', import.meta.url)

interface Found {
  readonly folder: string
  /** Name under which its contract.ts exports it. */
  readonly exported: string
  readonly operation: Operation
}

async function findOperations(): Promise<Found[]> {
  const entries = await readdir(new URL('tools/', root), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return await Promise.all(
    folders.toSorted().map(async (folder) => {
      const exported = folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      const module = (await import(`../tools/${folder}/contract.ts`)) as Record<string, Operation | undefined>
      const operation = module[exported]
      if (operation?.name !== folder.replaceAll('-', '_')) {
        throw new Error(
          `tools/${folder}/contract.ts must export ${exported}, named as its folder with _ for -`,
        )
      }
      return { folder, exported, operation }
    }),
  )
}

function indexOf(operations: readonly Found[]): string {
  const imports = operations.map(
    ({ folder, exported }) => `import { ${exported} } from './${folder}/contract.ts'`,
  )
  const modules = operations.map(
    ({ folder, exported }) => `  {
    operation: ${exported},
    plan: () => import('./${folder}/plan.ts'),
    run: () => import('./${folder}/run.ts'),
  },`,
  )
  return `// Written by \`npm run gen\` from the folders of tools/.
import type { OperationModule } from '../src/contract/operation.ts'
${imports.join('\n')}

/** Every operation that is built; plans and runs are loaded when first used. */
export const operations: readonly OperationModule[] = [
${modules.join('\n')}
]
`
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(line).join('\n')
}

function operationsTable(operations: readonly Found[]): string {
  return table(
    ['Tool', 'What it does', 'Price'],
    operations.map(({ operation }) => [
      `\`${operation.name}\``,
      operation.description,
      describePrice(operation.price),
    ]),
  )
}

function errorsTable(): string {
  return table(
    ['Code', 'HTTP', 'Meaning', 'Retryable', 'What to do'],
    Object.entries(errorTable).map(([code, row]) => [
      code,
      String(row.status),
      row.meaning,
      row.retryable ? 'yes' : 'no',
      row.hint,
    ]),
  )
}

/** Puts each table between its markers, `<!-- gen:name -->` and `<!-- /gen:name -->`. */
function fill(text: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((filled, [name, content]) => {
    const [open, close] = [`<!-- gen:${name} -->`, `<!-- /gen:${name} -->`]
    const [start, end] = [filled.indexOf(open), filled.indexOf(close)]
    return start < 0 || end < start
      ? filled
      : `${filled.slice(0, start + open.length)}\n\n${content}\n\n${filled.slice(end)}`
  }, text)
}

async function read(path: string): Promise<string> {
  return await readFile(new URL(path, root), 'utf8').catch(() => '')
}

async function generate(): Promise<ReadonlyMap<string, string>> {
  const operations = await findOperations()
  const tables = { operations: operationsTable(operations), errors: errorsTable() }
  const files = new Map([['tools/index.ts', indexOf(operations)]])
  for (const document of ['README.md', 'docs/contract.md']) {
    files.set(document, fill(await read(document), tables))
  }
  return files
}

const check = process.argv.includes('--check')
for (const [path, content] of await generate()) {
  if (content === (await read(path))) continue
  if (check) {
    process.stderr.write(`${path} is out of date; run: npm run gen\n`)
    process.exitCode = 1
  } else {
    await writeFile(new URL(path, root), content)
    process.stdout.write(`wrote ${fileURLToPath(new URL(path, root))}\n`)
  }
}

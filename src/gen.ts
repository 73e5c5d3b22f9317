import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describePrice } from './contract/credits.ts'
import { errorTable, ownErrors } from './contract/errors.ts'
import type { Operation } from './contract/operation.ts'
import { commonErrors } from './contract/route.ts'
import { endpoints } from './contract/routes.ts'
import { allTools } from './mcp/tools/all-tools.ts'
import { aboutSettings, environmentOnly } from './settings.ts'

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

function toolsTable(): string {
  const tools = [...allTools([]).values()]
  return table(
    ['Tool', 'What it does'],
    tools.map(({ definition: { name, description } }) => [`\`${name}\``, description]),
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

function endpointsTable(): string {
  const rows = Object.values(endpoints).map(({ method, path, summary, errors, open }) => [
    `\`${method} ${path}\``,
    `${summary}${open ? '; needs no key' : ''}`,
    errors.join(', '),
  ])
  return table(['Endpoint', 'What it does', 'Codes'], [...rows, ['any', '', commonErrors.join(', ')]])
}

function ownErrorsTable(): string {
  return table(
    ['Code', 'HTTP', 'Meaning'],
    Object.entries(ownErrors).map(([code, { status, meaning }]) => [code, String(status), meaning]),
  )
}

function settingsTable(): string {
  const rows = Object.values(environmentOnly).map((told) => ({ ...told, name: undefined }))
  return table(
    ['Variable', 'In the file', 'Default', 'Meaning'],
    [...rows, ...aboutSettings].map(({ name, variable, byDefault, meaning }) => [
      variable === undefined ? '' : `\`${variable}\``,
      name === undefined ? '' : `\`${name}\``,
      byDefault,
      meaning,
    ]),
  )
}

/** A document with tables put between their markers, `<!-- gen:name -->` and `<!-- /gen:name -->`. */
async function fill(path: string, tables: Readonly<Record<string, string>>): Promise<[string, string]> {
  let text = await read(path)
  for (const [name, content] of Object.entries(tables)) {
    const [open, close] = [`<!-- gen:${name} -->`, `<!-- /gen:${name} -->`]
    const [start, end] = [text.indexOf(open), text.indexOf(close)]
    if (start < 0 || end < start) throw new Error(`${path} must have ${open} and, after it, ${close}`)
    text = `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`
  }
  return [path, text]
}

async function read(path: string): Promise<string> {
  return await readFile(new URL(path, root), 'utf8').catch(() => '')
}

/** Every generated file, by its path. */
async function generate(): Promise<ReadonlyMap<string, string>> {
  const operations = await findOperations()
  return new Map([
    ['tools/index.ts', indexOf(operations)],
    await fill('README.md', {
      operations: operationsTable(operations),
      tools: toolsTable(),
      errors: errorsTable(),
      settings: settingsTable(),
    }),
    await fill('docs/contract.md', { endpoints: endpointsTable(), 'own-errors': ownErrorsTable() }),
  ])
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

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Operation, OperationModule } from '../contract/operation.ts'
import {
  bodyLimitsTable,
  endpointsTable,
  errorsTable,
  operationErrorsTable,
  operationsTable,
  ownErrorsTable,
  packsTable,
  settingsTable,
  toolsTable,
} from './doc-tables.ts'
import { allTools } from '../mcp/tool-selection.ts'
import { bundleManifest, registryManifest, type Package } from './manifests.ts'
import { publishedJson, toolsPage } from './tool-docs.ts'

// Generates files from the sources: tools/index.ts, docs/tools.md and docs/tools, the manifests, and the tables between
// markers in the documents. With --check it changes nothing and fails if a file is out of date.

const root = new URL('../..', import.meta.url)

interface OperationFolder {
  readonly folder: string
  /** Name of its export in contract.ts. */
  readonly exported: string
  readonly operation: Operation
  /** Whether its plan has the parameter `readText`. */
  readonly readsTexts: boolean
}

async function findOperations(): Promise<OperationFolder[]> {
  const entries = await readdir(new URL('tools/', root), { withFileTypes: true })
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    // An operation exists once it can run.
    .filter((folder) => existsSync(new URL(`tools/${folder}/run.ts`, root)))
  return await Promise.all(
    folders.toSorted().map(async (folder) => {
      const exported = folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      const module = (await import(`../../tools/${folder}/contract.ts`)) as Record<
        string,
        Operation | undefined
      >
      const operation = module[exported]
      if (operation?.name !== folder.replaceAll('-', '_')) {
        throw new Error(
          `tools/${folder}/contract.ts must export ${exported}, named as its folder with _ for -`,
        )
      }
      const { plan } = (await import(`../../tools/${folder}/plan.ts`)) as Awaited<
        ReturnType<OperationModule['plan']>
      >
      return { folder, exported, operation, readsTexts: plan.length > 2 }
    }),
  )
}

function renderIndex(operations: readonly OperationFolder[]): string {
  const imports = operations.map(
    ({ folder, exported }) => `import { ${exported} } from './${folder}/contract.ts'`,
  )
  const modules = operations.map(
    ({ folder, exported, readsTexts }) => `  {
    operation: ${exported},
    requirements: () => import('./${folder}/requirements.ts'),
    plan: () => import('./${folder}/plan.ts'),${readsTexts ? `\n    textPlan: new URL('./${folder}/plan', import.meta.url),` : ''}
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

/** Inserts tables into a document between their markers, `<!-- gen:name -->` and `<!-- /gen:name -->`. */
async function fillTables(path: string, tables: Readonly<Record<string, string>>): Promise<[string, string]> {
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

const publishedFolder = 'docs/tools/'

/** Contents of generated files by path; undefined for files that are no longer generated. */
async function generate(): Promise<ReadonlyMap<string, string | undefined>> {
  const found = await findOperations()
  const operations = found.map(({ operation }) => operation)
  const pack = JSON.parse(await read('package.json')) as Package
  const published = [...allTools(operations).values()].map(
    ({ definition }) => [`${publishedFolder}${definition.name}.json`, publishedJson(definition)] as const,
  )
  const there = await readdir(new URL(publishedFolder, root)).catch(() => [])
  return new Map([
    ['tools/index.ts', renderIndex(found)],
    ...there.map((name) => [publishedFolder + name, undefined] as const),
    ...published,
    ['docs/tools.md', `${toolsPage(operations)}\n`],
    ['server.json', formatJson(registryManifest(pack))],
    ['packaging/manifest.json', formatJson(bundleManifest(pack, operations))],
    await fillTables('README.md', {
      operations: operationsTable(operations),
      tools: toolsTable(),
    }),
    await fillTables('docs/errors.md', { errors: errorsTable() }),
    await fillTables('docs/settings.md', { settings: settingsTable() }),
    await fillTables('docs/self-hosting.md', { packs: packsTable() }),
    await fillTables('docs/contract.md', {
      endpoints: endpointsTable(),
      'operation-errors': operationErrorsTable(operations),
      'body-limits': bodyLimitsTable(operations),
      'own-errors': ownErrorsTable(),
    }),
  ])
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

const check = process.argv.includes('--check')
for (const [path, content = ''] of await generate()) {
  const file = new URL(path, root)
  if (content === (await read(path))) continue
  if (check) {
    process.stderr.write(`${path} is out of date; run: npm run gen\n`)
    process.exitCode = 1
  } else if (content === '') {
    await rm(file)
    process.stdout.write(`removed ${fileURLToPath(file)}\n`)
  } else {
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, content)
    process.stdout.write(`wrote ${fileURLToPath(file)}\n`)
  }
}

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { layers } from '../oxlint.config.ts'
import { operations } from '../tools/index.ts'

const root = dirname(import.meta.dirname)
const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')

let project: string

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'reelwright-layers-'))
  for (const name of ['node_modules', 'oxlint.config.ts', 'package.json', 'tsconfig.json']) {
    await symlink(join(root, name), join(project, name))
  }
})
afterEach(() => rm(project, { recursive: true }))

/** Lints files with one import each; returns the files whose import is forbidden. */
async function forbiddenImports(imports: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [file, code] of Object.entries(imports)) {
    await mkdir(join(project, dirname(file)), { recursive: true })
    await writeFile(join(project, file), code)
  }
  const run = promisify(execFile)(process.execPath, [oxlint, '--format=unix'], { cwd: project })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  return stdout
    .split('\n')
    .filter((line) => line.includes('no-restricted-imports'))
    .map((line) => line.slice(0, line.indexOf(':')))
    .toSorted()
}

/** Follows the imports of a file, except imports of types alone. Returns what it loads, itself included. */
async function loadedModules(file: string, loaded = new Set<string>()): Promise<ReadonlySet<string>> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  if (!file.endsWith('.ts')) return loaded
  const code = await readFile(join(root, file), 'utf8')
  for (const [, name = ''] of code.matchAll(/^(?:import|export) (?!type\b)(?:[^'"]*? from )?'([^']+)'/gm)) {
    await loadedModules(name.startsWith('.') ? join(dirname(file), name) : name, loaded)
  }
  return loaded
}

describe('the layer map', () => {
  it('contains every folder of src', async () => {
    const entries = await readdir(join(root, 'src'), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    expect(folders.filter((folder) => !Object.hasOwn(layers, folder))).toEqual([])
  })

  it('has no cycle', () => {
    const below = (layer: string): string[] =>
      (layers[layer]?.layers ?? []).flatMap((next) => [next, ...below(next)])
    expect(Object.keys(layers).filter((layer) => below(layer).includes(layer))).toEqual([])
  })

  it('allows the listed imports, and forbids all others', async () => {
    const forbidden = {
      'src/contract/fs.ts': "import 'node:fs'",
      'src/contract/log.ts': "import 'pino'",
      'src/contract/up.ts': "export * as x from '../platform/log.ts'",
      'src/platform/own.ts': "export { id } from '../contract/id.ts'",
      'src/media/child.ts': "import 'node:child_process'",
      'src/client/http.ts': "import '../http/app.ts'",
      'src/mcp/lazy.ts': "export const load = () => import('../tasks/records.ts')",
      'src/mcp/deep/engines.ts':
        "import type { Run } from '../../engines/ffmpeg/run.ts'\nexport type X = Run",
      'src/tasks/compose.ts': "import '../../tools/index.ts'",
      'src/http/settings.ts': "import '../config/settings.ts'",
      'src/http/whole.ts': "import '../service/service.ts'",
      'src/tasks/command.ts': "import '../commands/serve.ts'",
      'src/page/contract.js': "import '../contract/id.ts'",
      'src/page/package.js': "import 'zod'",
      'tools/a/contract.ts': "import '../../src/media/layout/catalogue.ts'",
      'tools/a/plan.ts': "import '../../src/engines/ffmpeg/run.ts'",
      'tools/a/requirements.ts': "import '../../src/engines/packs/resolve.ts'",
      'tools/a/run.ts': "import '../b/run.ts'",
      'tools/b/run.ts': "import '../../src/db/open.ts'",
    }
    const allowed = {
      'src/contract/a.ts': "export { object } from 'zod'\nexport { id } from './id.ts'",
      'src/http/a.ts':
        "export { submit } from '../tasks/submit.ts'\nexport { createServer } from 'node:http'",
      'src/mcp/b/a.ts': "export { connect } from '../../daemon/connect.ts'",
      'src/page/a.js': "/** @import { TaskRecord } from '../contract/task.ts' */\nexport { b } from './b.js'",
      'src/commands/a.ts': "export { operations } from '../../tools/index.ts'",
      'tools/c/contract.ts': "export { operation } from '../../src/contract/operation.ts'",
      'tools/c/run.ts':
        "export { run } from '../../src/engines/ffmpeg/run.ts'\nexport { plan } from './plan.ts'",
      'tools/c/run.test.ts': "export { startService } from '../../src/service/service.ts'",
    }
    expect(await forbiddenImports({ ...forbidden, ...allowed })).toEqual(Object.keys(forbidden).toSorted())
  })

  it('keeps engines out of plans and requirements, also through other files', async () => {
    const entries = await readdir(join(root, 'tools'), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join('tools', name))
    const loaded = new Set<string>()
    for (const folder of folders) {
      for (const part of ['plan.ts', 'requirements.ts']) await loadedModules(join(folder, part), loaded)
    }
    const allowed = /^(tools|src\/(contract|media))\//
    const packages = layers['media']?.packages ?? []
    expect([...loaded].filter((name) => !allowed.test(name) && !packages.includes(name))).toEqual([])
  })

  it('keeps the names of operations out of src, the demo and a path of the contract excepted', async () => {
    const names = operations.map(({ operation }) => operation.name)
    const mentioned = new RegExp(String.raw`\b(${names.join('|')})\b`)
    const files = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })
    const sources = files
      .filter((file) => file.isFile() && !file.name.endsWith('.test.ts'))
      .map((file) => relative(root, join(file.parentPath, file.name)))
    const naming: string[] = []
    for (const file of sources) {
      if (mentioned.test(await readFile(join(root, file), 'utf8'))) naming.push(file)
    }
    expect(naming.toSorted()).toEqual(['src/commands/demo.ts', 'src/contract/library-routes.ts'])
  })
})

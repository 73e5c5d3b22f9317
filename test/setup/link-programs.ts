import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the linked programs and their compile cache, kept for one run. */
    readonly linkedPrograms: string
  }
}

const root = dirname(dirname(import.meta.dirname))

/** Programs that tests start often. */
const programs = [
  'src/main.ts',
  'test/{library,mcp,packs,service}/entry.ts',
  'test/daemon/test-{client,daemon}.ts',
  'test/tasks/rate-limited-worker.ts',
]

/** Packages that load native code or files of their own. */
const external = /^(@napi-rs\/|@techstark\/|onnxruntime-node|sherpa-onnx-node|pg-native)/

/**
 * Links each program with its packages into few modules, as loading hundreds takes most of a start. They start in two
 * thirds of the processor time, and otherwise behave like their sources: `start-linked.mjs` starts them in place of these.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Once for all projects of the run.
  if (project.getProvidedContext().linkedPrograms !== undefined) return undefined
  const caches = join(root, 'node_modules', '.cache')
  await mkdir(caches, { recursive: true })
  // Inside the checkout, so that the packages left out are found.
  const folder = await mkdtemp(join(caches, 'linked-'))
  const files = globSync(programs, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  const linking = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(files.map((path) => [path.replace(/\.ts$/, ''), join(root, path)])),
    external,
    plugins: [{ name: 'source-locations', load: { filter: { id: /\.[cm]?[jt]s$/ }, handler: loadModule } }],
  })
  await linking.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
  })
  await linking.close()
  project.vitest.provide('linkedPrograms', folder)
  return () => rm(folder, { recursive: true, force: true })
}

/** Reads a module; what it reads about its location stays that of the source. */
async function loadModule(path: string): Promise<string> {
  const locations = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href }
  const text = await readFile(path, 'utf8')
  return text.replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name: keyof typeof locations) =>
    JSON.stringify(locations[name]),
  )
}

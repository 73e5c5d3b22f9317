import { existsSync, globSync, rmSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the linked programs and threads and of their compile cache, kept for one run. */
    readonly linkedPrograms: string
  }
}

const root = dirname(dirname(import.meta.dirname))

/**
 * Programs that tests start often, and threads. Not `plan-thread.ts`: it imports plan modules from source, whose classes would
 * differ from the linked ones.
 */
const programs = [
  'src/main.ts',
  'src/**/!(plan)-thread.ts',
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
export async function setup(project: TestProject): Promise<void> {
  const folder = project.getProvidedContext().linkedPrograms
  // Once for all projects of the run.
  if (existsSync(folder)) return
  // Not at the teardown, after which workers may still write to their compile cache, and which an interrupted run skips.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
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
  await copyFile(new URL('start-linked.mjs', import.meta.url), join(folder, 'start-linked.mjs'))
  await writeFile(join(folder, 'root.json'), JSON.stringify(root))
}

/** Reads a module; what it reads about its location stays that of the source. */
async function loadModule(path: string): Promise<string> {
  const locations = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href }
  const text = await readFile(path, 'utf8')
  return text.replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name: keyof typeof locations) =>
    JSON.stringify(locations[name]),
  )
}

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { build } from './build.mjs'

/** What the program is made of beside `dist` and its packages. */
const programFiles = ['bin', 'package.json', 'README.md', 'LICENSE']

/** Where the lock file puts what is always needed at run time. */
async function runtimePackages(root) {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.dev && !entry.devOptional && !entry.optional)
    .map(([path]) => path)
}

/**
 * Builds the bundle that desktop clients install (`reelwright-<version>.mcpb`, or the file named): a zip of
 * the program with its packages and a manifest. Native packages stay out, so that it runs on every system.
 */
export async function bundle(root, tools, [file]) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const target = resolve(root, file ?? `reelwright-${version}.mcpb`)
  const stage = await mkdtemp(join(tmpdir(), 'reelwright-bundle-'))
  try {
    const code = await build(root, tools, [join(stage, 'dist')])
    if (code !== 0) return code
    const parts = [...programFiles, ...(await runtimePackages(root))].map((name) => [name, join(root, name)])
    parts.push(['dist', join(stage, 'dist')], ['manifest.json', join(root, 'packaging', 'manifest.json')])
    await writeFile(target, await zip(parts))
    console.log(`wrote ${target}`)
    return 0
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** What only compilers and debuggers use; licences and the like stay. */
const leftOut = /\.([cm]?ts|map)$|(^|\/)\.bin\//

/** Of files and folders, each with its name in the zip; of thousands of files none is copied first. */
async function zip(parts) {
  // Loaded here, as it is a package of this checkout, which may have to be installed first.
  const { zipSync } = await import('fflate')
  const files = {}
  for (const [name, path] of parts) {
    for (const file of await filesIn(path)) {
      const inside = join(name, relative(path, file)).replaceAll('\\', '/')
      // One moment for all, so that the same program makes the same bytes.
      if (!leftOut.test(inside)) files[inside] = [await readFile(file), { mtime: new Date(1980, 0, 1) }]
    }
  }
  const names = Object.keys(files).toSorted()
  return zipSync(Object.fromEntries(names.map((name) => [name, files[name]])), { level: 9 })
}

/** All files in a folder, or the one file. */
async function filesIn(path) {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { build } from './build.mjs'

/** Files of the program besides `dist` and its packages. */
const programFiles = ['bin', 'package.json', 'README.md', 'LICENSE']

/** Folders of the packages that are always required at run time, from the lock file. */
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

/** Files that only compilers and debuggers use; licences stay. */
const excluded = /\.([cm]?ts|map)$|(^|\/)\.bin\//

/** Zips files and folders, each given with its name in the zip, without copying them first. */
async function zip(parts) {
  // Loaded here: it is a package of this checkout and may have to be installed first.
  const { zipSync } = await import('fflate')
  const files = {}
  for (const [name, path] of parts) {
    for (const file of await filesIn(path)) {
      const inside = join(name, relative(path, file)).replaceAll('\\', '/')
      // One time for all files, so that the same program gives the same bytes.
      if (!excluded.test(inside)) files[inside] = [await readFile(file), { mtime: new Date(1980, 0, 1) }]
    }
  }
  const names = Object.keys(files).toSorted()
  return zipSync(Object.fromEntries(names.map((name) => [name, files[name]])), { level: 9 })
}

/** Lists all files in a folder; a path of a file returns that file. */
async function filesIn(path) {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

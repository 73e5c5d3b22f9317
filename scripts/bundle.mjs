import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
    for (const name of [...programFiles, ...(await runtimePackages(root))]) {
      await mkdir(join(stage, name, '..'), { recursive: true })
      await cp(join(root, name), join(stage, name), { recursive: true })
    }
    await cp(join(root, 'packaging', 'manifest.json'), join(stage, 'manifest.json'))
    await writeFile(target, await zip(stage))
    console.log(`wrote ${target}`)
    return 0
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** What only compilers and debuggers use; licences and the like stay. */
const leftOut = /\.([cm]?ts|map)$|(^|\/)\.bin\//

async function zip(folder) {
  // Loaded here, as it is a package of this checkout, which may have to be installed first.
  const { zipSync } = await import('fflate')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = {}
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1).replaceAll('\\', '/')
    // One moment for all, so that the same program makes the same bytes.
    if (!leftOut.test(name)) files[name] = [await readFile(path), { mtime: new Date(1980, 0, 1) }]
  }
  const names = Object.keys(files).toSorted()
  return zipSync(Object.fromEntries(names.map((name) => [name, files[name]])), { level: 9 })
}

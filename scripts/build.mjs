import { cp, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { inForeground } from './setup/process.mjs'

/** Files that the code reads by paths relative to its modules. */
const assets = ['package.json', 'prompts', join('src', 'page'), join('src', 'engines', 'chromium', 'page')]

/** Compiles into a folder (`dist`) and copies the files that the code reads by relative paths. */
export async function build(root, { node, env }, [folder = 'dist']) {
  const target = resolve(root, folder)
  await rm(target, { recursive: true, force: true })
  const code = await inForeground(node, ['scripts/compile.mjs', target], { cwd: root, env })
  if (code !== 0) return code
  for (const name of assets) {
    const filter = (file) => basename(file) !== 'tsconfig.json'
    await cp(join(root, name), join(target, name), { recursive: true, filter })
  }
  return 0
}

import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { inForeground } from './setup/process.mjs'

/** Compiles into a folder (`dist`) and copies the files that the code reads by relative paths. */
export async function build(root, { node, env }, [folder = 'dist']) {
  const target = resolve(root, folder)
  await rm(target, { recursive: true, force: true })
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // `npm run check` checks the types; here that would take five times as long as the rest.
  const args = [compiler, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', target]
  const code = await inForeground(node, args, { cwd: root, env })
  if (code !== 0) return code
  await mkdir(target, { recursive: true })
  for (const name of [
    'package.json',
    'prompts',
    join('src', 'page'),
    join('src', 'engines', 'chromium', 'page'),
  ]) {
    const filter = (file) => basename(file) !== 'tsconfig.json'
    await cp(join(root, name), join(target, name), { recursive: true, filter })
  }
  return 0
}

// Loaded before the processes that tests start, and before each thread. Linked programs and threads (link-programs.ts)
// start in place of their sources. The compile cache, which src/main.ts opens later, is opened here before the first
// module, with the same V8 flags, which are part of its key, and for all processes of these flags in one folder.
import childProcess from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const root = dirname(dirname(import.meta.dirname))
const parameters = new URL(import.meta.url).searchParams
const folder = parameters.get('folder') ?? ''
/** Folder of the compile cache in it: another one for each set of V8 flags. */
const cache = parameters.get('cache') ?? 'compiled'

/** The linked form of a program, whether or not it exists. */
function linkedPath(program) {
  return join(folder, relative(root, program)).replace(/\.ts$/, '.mjs')
}

function isLinked(program = '') {
  return program.startsWith(root) && program.endsWith('.ts') && existsSync(linkedPath(program))
}

/** Loads the first module that has a linked form, that of the process or thread, from there. */
function startLinked() {
  enableCompileCache(join(folder, cache))
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const program = specifier.startsWith('file:') ? fileURLToPath(specifier) : ''
      if (!isLinked(program)) return next(specifier, context)
      hooks.deregister()
      return { url: pathToFileURL(linkedPath(program)).href, format: 'module', shortCircuit: true }
    },
  })
}

/** Daemons do not inherit NODE_OPTIONS, so they receive this module as an argument, which they pass on to workers. */
function passOn() {
  const { spawn } = childProcess
  childProcess.spawn = (program, args, options) =>
    spawn(program, isLinked(args?.[0]) ? [`--import=${import.meta.url}`, ...args] : args, options)
  syncBuiltinESMExports()
}

const [, program] = process.argv
if (!isMainThread) {
  startLinked()
} else if (isLinked(program)) {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  startLinked()
  passOn()
}

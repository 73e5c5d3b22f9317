// Makes linked programs and threads (link-programs.ts) start in place of their sources. A copy in their folder is loaded
// before each process that tests start, and before each thread.
import childProcess from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const folder = import.meta.dirname
/** The checkout, whose folder of packages may be a symbolic link. */
const root = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'))

/** The linked form of a program, whether or not it exists. */
function linkedPath(program) {
  return join(folder, relative(root, program)).replace(/\.ts$/, '.mjs')
}

function isLinked(program = '') {
  return program.startsWith(root) && program.endsWith('.ts') && existsSync(linkedPath(program))
}

/** Loads the first module that has a linked form, that of the process or thread, from there. */
function startLinked() {
  // src/main.ts opens its compile cache later than this first module. Node separates code by the flags of V8, already set.
  enableCompileCache(join(folder, 'compiled'))
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
    spawn(program, isLinked(args?.[0]) ? [`--require=${import.meta.filename}`, ...args] : args, options)
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

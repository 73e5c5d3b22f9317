// A copy of this module in the folder of the linked programs (link-programs.ts) is loaded before the processes that tests
// start and before each thread, where linked programs start in place of their sources. The compile cache, which src/main.ts
// opens later, is opened here before the first module, in one folder for all processes with the same V8 flags, which are
// part of its key.
import childProcess from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const folder = import.meta.dirname
const root = join(folder, '../../..')
const flags = process.execArgv.filter((argument) => !argument.startsWith('--require='))

/** The linked form of a program, whether or not it exists. */
function linkedPath(program) {
  return join(folder, relative(root, program)).replace(/\.ts$/, '.mjs')
}

function isLinked(program = '') {
  return program.startsWith(root) && program.endsWith('.ts') && existsSync(linkedPath(program))
}

/** Loads the first module that has a linked form, that of the process or thread, from there. */
function startLinked() {
  enableCompileCache(join(folder, ['compiled', ...flags].join('')))
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

// Loaded before the processes that tests start. Those of linked programs (link-programs.ts) start the linked one in
// place of the sources. The compile cache, which src/main.ts opens later, is opened here before the first module, with
// the same V8 flags, which are part of its key, and for all of them in one folder.
import childProcess from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const root = dirname(dirname(import.meta.dirname))
const folder = new URL(import.meta.url).searchParams.get('folder') ?? ''

/** The linked form of a program, whether or not it exists. */
function linkedPath(program) {
  return join(folder, relative(root, program)).replace(/\.ts$/, '.mjs')
}

function isLinked(program = '') {
  return program.startsWith(root) && program.endsWith('.ts') && existsSync(linkedPath(program))
}

function startLinked(program) {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  enableCompileCache(join(folder, 'compiled'))
  const source = pathToFileURL(program).href
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== source) return next(specifier, context)
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
if (isMainThread && isLinked(program)) {
  startLinked(program)
  passOn()
}

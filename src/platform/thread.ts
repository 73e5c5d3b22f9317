import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread, of the module whose address is given without its extension. It keeps what it compiles where its
 * process does, which no thread does by itself: of sources it starts in half the processor time.
 */
export function startThread(module: URL, workerData: object): Worker {
  const program = new URL(`${module.href}${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`)
  const ofVersion = getCompileCacheDir()
  if (ofVersion === undefined) return new Worker(program, { workerData })
  const kept = JSON.stringify(dirname(ofVersion))
  // Opened before the first module is loaded, and by JavaScript: for TypeScript that no cache holds Node loads its
  // compiler.
  const begin = `require('node:module').enableCompileCache(${kept}); import(${JSON.stringify(program)})`
  return new Worker(begin, { eval: true, workerData })
}

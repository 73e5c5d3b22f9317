import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Each after those that it imports. */
const playerModules = [
  ...['pristine', 'natives', 'present', 'timings', 'timers', 'clock', 'chance'],
  ...['blobs', 'under-way', 'pending', 'drawings', 'motion', 'timelines'],
  ...['refuse', 'elements', 'drawing-calls', 'drawn-styles', 'hearing', 'errors', 'watch', 'play'],
]

/**
 * The script that runs in every particle's frame before its own: it puts a player under this name, which the
 * particle may find, but not change. In the host page it does nothing. A frame waits so many ms for what takes
 * real time.
 */
export async function playerScript(name: string, settleMs: number): Promise<string> {
  const parts = await Promise.all(
    playerModules.map((module) => readFile(join(import.meta.dirname, 'page', `${module}.js`), 'utf8')),
  )
  // A frame takes one script: what the modules say to each other becomes the scope that they share.
  const body = parts
    .join('\n')
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '')
  return `(() => {
    'use strict'
    if (window === top) return
    ${body}
    Object.defineProperty(window, ${JSON.stringify(name)}, { value: Object.freeze(makePlayer(${settleMs})) })
  })()`
}

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates an empty temporary folder (a real path), removed at the end of the scope. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'reelwright-test-')))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Polls a condition every 5 ms. Throws after 2 minutes. */
export async function waitUntil(condition: () => boolean, description: string): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

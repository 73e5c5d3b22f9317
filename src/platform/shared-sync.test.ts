import type { FileHandle } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sharedSync } from './shared-sync.ts'

/** A file of which each sync ends when the test says so. */
function slowFile() {
  const syncs: PromiseWithResolvers<void>[] = []
  const datasync = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  }
  return { file: { datasync } as FileHandle, syncs }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('who asks while a sync runs waits for the next one, which serves all of them', async () => {
  const { file, syncs } = slowFile()
  const sync = sharedSync()
  const done: string[] = []
  const ask = (name: string) => sync(file).then(() => void done.push(name))
  const first = ask('first')
  await turn()
  const others = [ask('second'), ask('third')]
  await turn()
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await first
  await turn()
  expect([done, syncs.length]).toEqual([['first'], 2])
  syncs[1]?.resolve()
  await Promise.all(others)
  expect([done, syncs.length]).toEqual([['first', 'second', 'third'], 2])
})

test('a sync that fails is told to those who waited for it, and the next one runs', async () => {
  const { file, syncs } = slowFile()
  const sync = sharedSync()
  const asked = [sync(file), sync(file)]
  await turn()
  const later = sync(file)
  syncs[0]?.reject(new Error('EIO'))
  for (const one of asked) await expect(one).rejects.toThrow('EIO')
  await turn()
  syncs[1]?.resolve()
  await expect(later).resolves.toBeUndefined()
})

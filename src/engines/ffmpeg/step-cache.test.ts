import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StepCache } from './step-cache.ts'

test('a step is reused only for the same work and version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-steps-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  let times = 0
  const textOf = (programs: readonly string[], inputs: unknown) =>
    new StepCache(folder, programs).text('found', inputs, async () => `${(times += 1)}`)
  expect(await textOf(['1.0.0', '5.1'], { of: 'a' })).toBe('1')
  expect(await textOf(['1.0.0', '5.1'], { of: 'a' })).toBe('1')
  expect(await textOf(['1.0.0', '5.1'], { of: 'b' })).toBe('2')
  expect(await textOf(['1.0.1', '5.1'], { of: 'a' })).toBe('3')
  expect(await textOf(['1.0.0', '7.0'], { of: 'a' })).toBe('4')

  const part = join(folder, 'part.mp4')
  await writeFile(part, 'picture')
  let calls = 0
  const inputs = {
    toJSON() {
      calls += 1
      return 'a'
    },
  }
  const { keep } = await new StepCache(folder, ['1.0.0']).parts(inputs)
  await keep(part, { first: 500, frames: 20 })
  // The input may be large.
  expect(calls).toBe(1)
  const madeBy = async (version: string) => (await new StepCache(folder, [version]).parts('a')).finished
  expect([...(await madeBy('1.0.0')).keys()]).toEqual([500])
  expect((await madeBy('1.0.1')).size).toBe(0)
})

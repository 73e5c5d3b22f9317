import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readAtMost, TooLargeError } from './read-at-most.ts'

const pieces = fc.array(fc.uint8Array({ maxLength: 20 }))

it('joins what fits, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (chunks) => {
      const whole = Buffer.concat(chunks)
      const read = await readAtMost(Readable.from(chunks), whole.length)
      expect(read.equals(whole)).toBe(true)
    }),
  )
})

it('ends the source at the first byte too many, and names the limit', async () => {
  let given = 0
  async function* endless() {
    for (;;) {
      given += 1
      yield Buffer.alloc(10)
    }
  }
  const source = Readable.from(endless(), { objectMode: true, highWaterMark: 1 })
  await expect(readAtMost(source, 25)).rejects.toThrow(new TooLargeError(25))
  expect(source.destroyed).toBe(true)
  expect(given).toBeLessThan(10)
})

import { expect, test } from 'vitest'
import { replayable } from './replayable.ts'

/** Reads sound of so many chunks of 1 MiB twice. Returns the number of decodings and the first samples of the chunks. */
async function readTwice(
  chunks: number,
): Promise<{ readonly decodings: number; readonly firsts: number[][] }> {
  let decodings = 0
  const read = replayable(async function* decode() {
    decodings += 1
    for (let at = 0; at < chunks; at += 1) yield new Float32Array(2 ** 18).fill(at)
  })
  const firsts: number[][] = [[], []]
  for (const list of firsts) for await (const chunk of read()) list.push(chunk[0] ?? NaN)
  return { decodings, firsts }
}

test.each([
  ['decodes short sound once', 32, 1],
  ['decodes long sound again', 33, 2],
])('%s', async (_, chunks, decodings) => {
  const all = Array.from({ length: chunks }, (__, at) => at)
  expect(await readTwice(chunks)).toEqual({ decodings, firsts: [all, all] })
})

test('decodes sound again after an incomplete reading', async () => {
  let decodings = 0
  const read = replayable(async function* decode() {
    decodings += 1
    yield* [Float32Array.of(1), Float32Array.of(2)]
  })
  for await (const chunk of read()) if (chunk[0] === 1) break
  const samples: number[] = []
  for await (const chunk of read()) samples.push(...chunk)
  expect([decodings, ...samples]).toEqual([2, 1, 2])
})

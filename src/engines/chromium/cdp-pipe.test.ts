import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BrowserFailure } from './browser-failure.ts'
import { CdpPipe } from './cdp-pipe.ts'

function connect(longest?: number) {
  const read = new PassThrough()
  return { read, pipe: new CdpPipe(new PassThrough(), read, longest) }
}

it('resolves a call whose response arrives in pieces', async () => {
  const { read, pipe } = connect(100)
  const answer = pipe.call('Page.enable')
  for (const piece of ['{"id":', '1,"result":{"c"', ':2}}\0{"method":"D.e"}\0']) {
    read.write(piece)
    await setImmediate()
  }
  expect(await answer).toEqual({ c: 2 })
})

it('ends when a message is too long', async () => {
  const { read, pipe } = connect(100)
  const answer = pipe.call('Page.enable')
  for (let piece = 0; piece < 11; piece += 1) read.write('x'.repeat(10))
  await expect(answer).rejects.toMatchObject({ kind: 'memory' })
  await expect(pipe.call('Page.enable')).rejects.toThrow(BrowserFailure)
})

it.each(['{"id":', '[', 'null'])('ends when a message is invalid: %s', async (text) => {
  const { read, pipe } = connect()
  const answer = pipe.call('Page.enable')
  read.write(`${text}\0`)
  await expect(answer).rejects.toMatchObject({ kind: 'crash' })
})

import { expect, it } from 'vitest'
import { movingImageLine } from './moving-images.ts'

it('reads 2 MiB of what only begins like images about as fast as four times a quarter of it', () => {
  const source = (bytes: number) => 'data:image/png'.repeat(bytes / 14)
  const read = (bytes: number) => {
    const text = source(bytes)
    const begun = performance.now()
    expect(movingImageLine(text)).toBeUndefined()
    return performance.now() - begun
  }
  read(2 ** 16)
  const quarter = read(2 ** 19)
  // Were each beginning compared with all that follows, it would take sixteen times as long, minutes.
  expect(read(2 ** 21)).toBeLessThan(quarter * 10 + 500)
})

it('finds an animated image with parameters', () => {
  const control = '\x21\xf9\x04'
  const gif = Buffer.from(`GIF89a${control}one${control}two`, 'latin1').toString('base64')
  expect(movingImageLine(`\n<img src="data:image/gif;name=a;base64,${gif}">`)).toBe(2)
})

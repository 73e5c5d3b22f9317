import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from './privacy.ts'

const veil = createRedactor({
  places: [
    ['/home/anna', '~'],
    ['/home/anna/.local/share/reelwright', '<data folder>'],
    ['/mnt/My Films (1)/Secret plan', '<workspace>'],
    [String.raw`C:\Users\Anna Berg`, '~'],
  ],
  words: [
    ['anna', '<user>'],
    ['root', '<user>'],
    ['studio.example', '<host>'],
  ],
})

test.each([
  ['/home/anna/.local/share/reelwright/daemon.log', '<data folder>/daemon.log'],
  ["ENOENT, open '/home/anna/x.mp4'", "ENOENT, open '~/x.mp4'"],
  ['file:///home/anna/x', 'file://~/x'],
  ['/mnt/My Films (1)/Secret plan/a takes no files', '<workspace>/a takes no files'],
  ['file:///mnt/My%20Films%20(1)/x', 'file://<folder>/x'],
  ['/mnt/My Films (1) takes no files', '<folder> takes no files'],
  [JSON.stringify({ at: String.raw`C:\Users\Anna Berg\x` }), String.raw`{"at":"~\\x"}`],
  ['Anna and hannah, at STUDIO.example:80', '<user> and hannah, at <host>:80'],
  ['root of /home/annabel and src/home/anna', 'root of /home/annabel and src/home/<user>'],
  ['one\ttwo\u001B[2J\u009Bx\r\n', 'one\ttwo\\u001b[2J\\u009bx\\u000d\n'],
  ['postgres://anna:sekret@db/x', 'postgres://[redacted]@db/x'],
])('%j', (text, told) => {
  expect(veil(text)).toBe(told)
})

test('the root is no private place', () => {
  expect(createRedactor({ places: [['/', '~']], words: [] })('/usr/bin: at /')).toBe('/usr/bin: at /')
})

describe('whatever a folder is called', () => {
  const name = fc
    .string({ minLength: 3, unit: 'grapheme' })
    .filter((text) => /^[^/\0]*[^\s/\0.][^/\0]*$/.test(text))
  test('its path is not told, nor the folders above', () => {
    fc.assert(
      fc.property(name, name, (outer, inner) => {
        const path = `/mnt/${outer}/${inner}`
        const hide = createRedactor({ places: [[path, '<place>']], words: [] })
        expect(hide(`cannot read '${path}'`)).toBe("cannot read '<place>'")
        expect(hide(`cannot read '/mnt/${outer}'`)).toBe("cannot read '<folder>'")
        expect(hide(JSON.stringify({ path }))).toBe('{"path":"<place>"}')
      }),
      // What JSON makes of its last letter begins as the path itself ends.
      { examples: [['films', 'plan\\']] },
    )
  })
})

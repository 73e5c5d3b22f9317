import { Writable } from 'node:stream'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { createRedactor, redactLogNames } from './redact-report.ts'

const redactText = createRedactor({
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
])('redacts %j', (text, expected) => {
  expect(redactText(text)).toBe(expected)
})

test('the root folder is not redacted', () => {
  expect(createRedactor({ places: [['/', '~']], words: [] })('/usr/bin: at /')).toBe('/usr/bin: at /')
})

describe('for any folder name', () => {
  const name = fc
    .string({ minLength: 3, unit: 'grapheme' })
    .filter((text) => /^[^/\0]*[^\s/\0.][^/\0]*$/.test(text))
  test('its path and its parent folders are redacted', () => {
    fc.assert(
      fc.property(name, name, (outer, inner) => {
        const path = `/mnt/${outer}/${inner}`
        const hide = createRedactor({ places: [[path, '<place>']], words: [] })
        expect(hide(`cannot read '${path}'`)).toBe("cannot read '<place>'")
        expect(hide(`cannot read '/mnt/${outer}'`)).toBe("cannot read '<folder>'")
        expect(hide(JSON.stringify({ path }))).toBe('{"path":"<place>"}')
      }),
      // The escaped last character in JSON starts with the last character of the path.
      { examples: [['films', 'plan\\']] },
    )
  })
})

/** Output of a logger. */
function logged(write: (log: pino.Logger) => void): string {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  write(pino({ timestamp: pino.stdTimeFunctions.isoTime }, stream))
  return lines.join('')
}

function excerpt(write: (log: pino.Logger) => void) {
  return JSON.parse(redactLogNames(logged(write)).trimEnd()) as Record<string, unknown>
}

test('ids, numbers, routes and fixed messages are kept', () => {
  const fields = {
    request_id: 'a-1',
    task_id: '12',
    route: '/base/file/:file_id',
    status: 404,
    ms: 3,
    aborted: true,
  }
  expect(excerpt((log) => log.info(fields, 'request'))).toMatchObject({
    ...fields,
    level: 30,
    msg: 'request',
  })
})

test('a MediaError keeps the meaning of its code, and its stack', () => {
  const cause = new Error('ENOENT: private plan.mp4')
  const error = new MediaError(6017, 'private plan.mp4: private words', { cause, hint: 'private hint' })
  const line = excerpt((log) => log.warn({ err: error }, 'attempt failed'))
  expect(JSON.stringify(line)).not.toContain('private')
  expect(line['err']).toMatchObject({
    type: 'MediaError',
    code: 6017,
    message: 'Media probe failed',
    stack: expect.arrayContaining([
      expect.stringMatching(/^ {4}at .*redact-report\.test\.ts:\d+:\d+\)?$/),
      expect.stringMatching(/^caused by: Error: \[/),
    ]),
  })
})

test('an error of the JavaScript engine is kept except quoted values', () => {
  const line = excerpt((log) =>
    log.error({ err: new TypeError("no properties (reading 'private') of it") }, 'x'),
  )
  expect(line['err']).toMatchObject({ type: 'TypeError', message: "no properties (reading '…') of it" })
})

test('only the output of Node at process exit is kept', () => {
  const crash = [
    '/home/x/private.ts:3',
    "throw new Error('private')",
    '^',
    '',
    'Error: private reason',
    '    at open (node:fs:573:3)',
    '    at async run (file:///opt/reelwright/dist/src/main.js:10:5)',
    '    at private plan.mp4',
    "  path: 'private'",
    'Node.js v24.1.0',
  ]
  expect(redactLogNames(crash.join('\n')).split('\n')).toEqual([
    '[20 characters left out]',
    '[26 characters left out]',
    '[1 characters left out]',
    '',
    'Error: [14 characters left out]',
    '    at open (node:fs:573:3)',
    '    at async run (file:///opt/reelwright/dist/src/main.js:10:5)',
    '[23 characters left out]',
    '[17 characters left out]',
    'Node.js v24.1.0',
  ])
})

test('no text of a field, an error or a plain line is kept', () => {
  const word = fc.string({ minLength: 4, maxLength: 30 }).map((text) => `private${text}private`)
  fc.assert(
    fc.property(word, (name) => {
      const error = Object.assign(new Error(name, { cause: new MediaError(6004, name) }), {
        path: name,
        input: [name],
      })
      const lines = logged((log) => {
        log.error({ err: error, name, deep: [{ output: name, file: { name } }] }, 'our words')
        log.error({ err: new MediaError(6500, name, { hint: name, cause: error }) }, 'our words')
        log.error(error)
      })
      expect(redactLogNames(`${lines}${name}\n`)).not.toContain('private')
    }),
  )
})

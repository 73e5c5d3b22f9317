import fc from 'fast-check'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { redactLogNames } from './log-excerpt.ts'

/** What a logger writes. */
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

test('ids, numbers, routes and our own words stay', () => {
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

test('an error of ours stays as its meaning, with its stack', () => {
  const cause = new Error('ENOENT: private plan.mp4')
  const error = new MediaError(6017, 'private plan.mp4: private words', { cause, hint: 'private hint' })
  const line = excerpt((log) => log.warn({ err: error }, 'attempt failed'))
  expect(JSON.stringify(line)).not.toContain('private')
  expect(line['err']).toMatchObject({
    type: 'MediaError',
    code: 6017,
    message: 'Media probe failed',
    stack: expect.arrayContaining([
      expect.stringMatching(/^ {4}at .*log-excerpt\.test\.ts:\d+:\d+\)?$/),
      expect.stringMatching(/^caused by: Error: \[/),
    ]),
  })
})

test('an error of the language stays but for what it quotes', () => {
  const line = excerpt((log) =>
    log.error({ err: new TypeError("no properties (reading 'private') of it") }, 'x'),
  )
  expect(line['err']).toMatchObject({ type: 'TypeError', message: "no properties (reading '…') of it" })
})

test('what Node says as a process ends stays, and no more', () => {
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

test('no text of a field, an error or a bare line comes through', () => {
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

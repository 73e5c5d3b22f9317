import { expect, test } from 'vitest'
import { runChild } from '../../../src/engines/ffmpeg/child.ts'

const node = (script: string) => ({ file: process.execPath, args: ['-e', script], timeoutMs: 20_000 })

/** Says "ready", then refuses to end when asked to. */
const stubborn = `process.on('SIGTERM', () => console.log('asked')); setInterval(() => {}, 1000); console.log('ready')`

/** An abort controller that fires once the child has said a word. */
function abortOn(word: string, reason: Error) {
  const abort = new AbortController()
  const heard: string[] = []
  const onOutput = (chunk: Buffer) => {
    heard.push(chunk.toString())
    if (heard.join('').includes(word)) abort.abort(reason)
  }
  return { signal: abort.signal, onOutput, heard }
}

function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('returns the exit code, the output and the log', async () => {
  const chunks: Buffer[] = []
  const ended = await runChild({
    ...node(`process.stdout.write('out'); process.stderr.write('oops\\n'); process.exitCode = 3`),
    onOutput: (chunk) => chunks.push(chunk),
  })
  expect(ended).toEqual({ code: 3, signal: null, timedOut: false, log: 'oops' })
  expect(Buffer.concat(chunks).toString()).toBe('out')
})

test('keeps only the last 16 KiB of the log, cut at a line', async () => {
  const { log } = await runChild(node(`for (let i = 0; i < 20000; i++) console.error('line ' + i)`))
  expect(log.length).toBeLessThanOrEqual(16 * 1024)
  expect(log.endsWith('line 19999')).toBe(true)
  expect(log).toMatch(/^line \d+\n/)
})

test.skipIf(process.platform === 'win32')(
  'an abort sends SIGTERM, then SIGKILL, and rejects after the process has ended',
  async () => {
    const reason = new Error('the task was stopped')
    const { signal, onOutput, heard } = abortOn('ready', reason)
    const script = `console.log('pid ' + process.pid); ${stubborn}`
    await expect(runChild({ ...node(script), signal, onOutput, graceMs: 300 })).rejects.toBe(reason)
    expect(heard.join('')).toContain('asked')
    expect(acceptsSignals(Number(/pid (\d+)/.exec(heard.join(''))?.[1]))).toBe(false)
  },
)

test.skipIf(process.platform === 'win32')(
  'a program that exceeds its time limit is ended, even if it ignores SIGTERM',
  async () => {
    const obedient = await runChild({ ...node('setInterval(() => {}, 1000)'), timeoutMs: 200 })
    expect(obedient).toMatchObject({ timedOut: true, signal: 'SIGTERM' })
    // An ignored signal stays ignored across exec.
    const deaf = ['-c', "trap '' TERM; exec sleep 30"]
    const refusing = await runChild({ file: 'sh', args: deaf, timeoutMs: 500, graceMs: 100 })
    expect(refusing).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
  },
)

test('an abort before the start starts nothing', async () => {
  const reason = new Error('too late')
  await expect(runChild({ ...node(''), signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a program that ends without reading its input returns its exit code', async () => {
  const input = new Uint8Array(8 * 2 ** 20)
  expect(await runChild({ ...node('process.exit(0)'), input })).toMatchObject({ code: 0 })
})

test('a missing program rejects with the system error', async () => {
  const missing = runChild({ file: '/nowhere/ffmpeg', args: [], timeoutMs: 1000 })
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' })
})

test.skipIf(process.platform === 'win32')('stays in the process group of its parent', async () => {
  const group = `ps -o pgid= -p`
  const chunks: Buffer[] = []
  const script = `const { execSync } = require('child_process')
    process.stdout.write(execSync('${group} ' + process.pid) + ' ' + execSync('${group} ' + process.ppid))`
  await runChild({ ...node(script), onOutput: (chunk) => chunks.push(chunk) })
  const [own, parents] = Buffer.concat(chunks).toString().trim().split(/\s+/)
  expect(own).toMatch(/^\d+$/)
  expect(own).toBe(parents)
})

test('an input generated on demand arrives completely', async () => {
  async function* pieces() {
    for (let made = 0; made < 64; made++) yield Buffer.alloc(2 ** 16, made)
  }
  const counting = `let n = 0
    process.stdin.on('data', (d) => (n += d.length)).on('end', () => console.log(n))`
  const heard: string[] = []
  await runChild({
    ...node(counting),
    input: pieces(),
    onOutput: (chunk) => void heard.push(chunk.toString()),
  })
  expect(heard.join('')).toBe(`${2 ** 22}\n`)
})

test('an input that fails ends the program, and its error is reported', async () => {
  async function* broken() {
    yield Buffer.from('one')
    throw new Error('no more')
  }
  const start = Date.now()
  await expect(runChild({ ...node('setInterval(() => {}, 1000)'), input: broken() })).rejects.toThrow(
    'no more',
  )
  expect(Date.now() - start).toBeLessThan(5000)
})

test('an input ends with the program that reads it', async () => {
  let ended = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(2 ** 16)
    } finally {
      ended = true
    }
  }
  const { code } = await runChild({
    ...node('process.stdin.once("data", () => process.exit(4))'),
    input: endless(),
  })
  expect([code, ended]).toEqual([4, true])
})

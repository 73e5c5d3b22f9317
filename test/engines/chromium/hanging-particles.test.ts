import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findChromium } from '../../../src/engines/chromium/locate.ts'
import { setSearchPath, splitSearchPath } from '../../../src/platform/environment.ts'
import { soakSize } from '../../soak-size.ts'
import { captureFolder, dryRunProblems, lacksBrowser, particle, play, timeline } from './play.ts'

/** Replaces the browser by a script that records each start. Returns a function that returns their number. */
async function countStarts(): Promise<() => Promise<number>> {
  const real = findChromium(splitSearchPath(process.env['PATH'])) ?? ''
  const folder = await captureFolder()
  const log = join(folder, 'starts')
  const script = `#!/bin/sh\necho "$1" >> "${log}"\nexec "${real}" "$@"\n`
  await writeFile(join(folder, basename(real)), script, { mode: 0o755 })
  setSearchPath(folder)
  onTestFinished(() => setSearchPath(process.env['PATH']))
  // Its first argument shows a start with a page; others only print the version.
  return async () => (await readFile(log, 'utf8')).match(/^--headless$/gm)?.length ?? 0
}

const listening = {
  body: '<style>@keyframes go { to { left: 9px } } b { animation: go 0.3s }</style><b id="b">x</b>',
  script: `${timeline('')}; document.getElementById('b').addEventListener('animationend', () => { for (;;); })`,
}

const endless = [
  { when: 'while it loads', body: '', script: 'for (;;);' },
  { when: 'while it plays', body: '', script: timeline('if (t > 0.4) for (;;);') },
  {
    when: 'in promises',
    body: '',
    script: timeline('const again = () => Promise.resolve().then(again); again()'),
  },
  {
    when: 'when it is drawn',
    body: '<p>x</p>',
    script: `${timeline('')}; new ResizeObserver(() => { for (;;); }).observe(document.querySelector('p'))`,
  },
  { when: 'in a listener', ...listening },
]

const didNotRespond = 'did not respond in time; one of its scripts may run forever'

describe.skipIf(lacksBrowser || process.platform === 'win32')('a particle whose script never ends', () => {
  // Only the limit of processor time can end it before the test's own timeout.
  const limits = { blockedCpuMs: 300, responseMs: 600_000 }

  // In `npm test` the last one is only rendered, by the next test.
  it.each(endless.slice(0, soakSize(4, 5)))(
    '$when is checked once, and ends by its processor time',
    async ({ body, script }) => {
      const starts = await countStarts()
      expect(await dryRunProblems(particle(body, script), limits)).toEqual([{ message: didNotRespond }])
      expect(await starts()).toBe(1)
    },
  )

  it('in a listener is rendered once and named, and leaves no files', async () => {
    const starts = await countStarts()
    const scratch = await captureFolder()
    const good = particle('', timeline(''), { name: 'beats[0]' })
    const page = particle(listening.body, listening.script, { name: 'beats[1]' })
    await expect(play([good, page], { scratch, limits })).rejects.toMatchObject({
      code: 6016,
      message: `beats[1] ${didNotRespond}`,
      retryable: false,
    })
    expect(await starts()).toBe(1)
    expect(await readdir(scratch)).toEqual([])
  })
})

describe.skipIf(lacksBrowser || process.platform === 'win32')('a browser that is late by the clock', () => {
  // Like a busy machine: the time for a response passes before the limits of processor time.
  const limits = { responseMs: soakSize(400, 1500), blockedCpuMs: 600_000, workCpuMs: 600_000 }
  const late = particle('', timeline('if (t > 0.4) for (;;);'))
  const error = {
    code: 6402,
    retryable: true,
    message: expect.stringMatching(/^the browser did not respond in time/) as string,
  }

  it('is started again in a render, which then fails as retryable', async () => {
    const starts = await countStarts()
    await expect(play([late], { limits })).rejects.toMatchObject(error)
    expect(await starts()).toBe(2)
  })

  it('is not a problem of the particle in a dry run', async () => {
    const starts = await countStarts()
    await expect(dryRunProblems(late, limits)).rejects.toMatchObject(error)
    expect(await starts()).toBe(2)
  })
})

describe.skipIf(lacksBrowser)('a slow particle', () => {
  it('is played to its end if no frame takes the limit of processor time or for a response', async () => {
    // Its clock does not advance, so loops do the work: frames of 0.05 or 0.1 s on a fast machine.
    const loops = soakSize(1e8, 2e8)
    const page = particle('<p>x</p>', timeline(`let n = ${loops}; while (n > 0) n -= 1; window.left = n`))
    expect(
      await dryRunProblems(page, { fps: soakSize(10, 30), responseMs: 2000, blockedCpuMs: loops / 80_000 }),
    ).toEqual([])
  })

  it('is played to its end if it waits in real time, without limits of processor time', async () => {
    // Like a browser that gets no processor time.
    const wait = 'if (t === 0.2) new Response(new ReadableStream()).text()'
    const page = particle('<p>x</p>', timeline(wait))
    expect(await dryRunProblems(page, { settleMs: 1500, blockedCpuMs: 300, playCpuMs: 1000 })).toEqual([
      { message: expect.stringContaining('did not finish within 1.5 s') },
    ])
  })

  it('ends when the browser spends too much processor time on one call', async () => {
    const script = timeline('const load = () => fetch("data:,x").then((r) => r.text()).then(load); load()')
    expect(await dryRunProblems(particle('<p>x</p>', script), { workCpuMs: 300 })).toEqual([
      { message: didNotRespond },
    ])
  })
})

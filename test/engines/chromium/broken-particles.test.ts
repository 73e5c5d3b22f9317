import { readdirSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { usualLimits } from '../../../src/engines/chromium/breakdown.ts'
import { Browser } from '../../../src/engines/chromium/browser.ts'
import { findChromium } from '../../../src/engines/chromium/locate.ts'
import { rehearse } from '../../../src/engines/chromium/rehearse.ts'
import { lookOn } from '../../../src/engines/chromium/require.ts'
import {
  counterCells,
  lacksBrowser,
  numbersShown,
  particle,
  play,
  scratchFolder,
  showNumber,
  timeline,
} from './play.ts'

const control = '\x21\xf9\x04'
const movingGif = Buffer.from(`GIF89a${control}one${control}two`, 'latin1').toString('base64')

describe.skipIf(lacksBrowser)('a particle that cannot be played', () => {
  it.each([
    { what: 'has no timeline', page: particle('<p>x</p>', ''), told: /^title: .*no timeline is registered/ },
    {
      what: 'has an endless timeline',
      page: particle('', timeline('', Infinity)),
      told: /^title: timeline "test" is endless/,
    },
    {
      what: 'cannot be sought',
      page: particle('', 'window.__timelines = { test: { play() {} } }'),
      told: /^title: timeline "test" cannot be sought/,
    },
    {
      what: 'has an error in its script',
      page: particle('<p>\n</p>', `${timeline('')}\n\nnothing.is = 1`),
      told: /^title: line 5: .*nothing is not defined/,
    },
    {
      what: 'has an error of syntax',
      page: particle('', `${timeline('')}\nlet = = 1`),
      told: /^title: line 3: .*SyntaxError/,
    },
    {
      what: 'fails in the middle',
      page: particle('', timeline("if (t > 0.4) throw new Error('in the middle')")),
      told: /^title: line 2: .*in the middle/,
    },
    {
      what: 'rejects a promise',
      page: particle('', `${timeline('')}\nPromise.reject(new Error('not kept'))`),
      told: /^title: line 3: .*not kept/,
    },
    {
      what: 'has 10,000 elements',
      page: particle('<i></i>'.repeat(10_000), timeline('')),
      told: /^title: has 100\d\d elements; at most 5000/,
    },
    {
      what: 'asks for a library that is not here',
      page: particle(
        '<script src="https://cdn.jsdelivr.net/npm/gsap@3.12.5/dist/gsap.min.js"></script>',
        timeline(''),
      ),
      told: /^title: needs GSAP 3 .*npm install gsap@3/,
    },
    {
      what: 'has an animated image',
      page: particle(`\n<img src="data:image/gif;base64,${movingGif}">`, timeline('')),
      told: /^title: line 2: has an animated image/,
    },
    {
      what: 'makes a shadow tree',
      page: particle(
        '<p id="p">x</p>',
        `${timeline('')}; document.getElementById('p').attachShadow({ mode: 'closed' })`,
      ),
      told: /^title: has a shadow tree/,
    },
    {
      what: 'has a shadow tree in its source',
      page: particle('\n<p><template shadowrootmode="closed"><i>x</i></template></p>', timeline('')),
      told: /^title: line 2: has a shadow tree/,
    },
    {
      what: 'writes its page anew',
      page: particle('', timeline("if (t > 0.4) document.write('<p>x</p>')")),
      told: /^title: writes its page anew/,
    },
    {
      what: 'changes what the language consists of',
      page: particle(
        '',
        timeline(
          `const all = [].values
           Array.prototype[Symbol.iterator] = function () {
             return all.call(typeof this[0] === 'number' ? [] : this)
           }`,
        ),
      ),
      told: /^title: it cannot be played \(its script changes what/,
    },
    {
      what: 'has no template',
      page: { ...particle('', ''), html: '<p>x</p>' },
      told: /^title: has no <template>/,
    },
  ])('says so when it $what', async ({ page, told }) => {
    await expect(play([page])).rejects.toMatchObject({ code: 6016, message: expect.stringMatching(told) })
  })

  it('is named when it never ends a script, after a second try', async () => {
    const page = particle('', timeline('if (t > 0.4) for (;;);'), { name: 'beats[1]' })
    const good = particle('', timeline(''), { name: 'beats[0]' })
    const scratch = await scratchFolder()
    await expect(play([good, page], { scratch, limits: { answerMs: 5000 } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^beats\[1\] did not answer in time/),
    })
    expect(await readdir(scratch)).toEqual([])
  })

  it('is named when what hears of an animation never ends', async () => {
    const body = '<style>@keyframes go { to { left: 9px } } b { animation: go 0.3s }</style><b id="b">x</b>'
    const page = particle(
      body,
      `${timeline('')}; document.getElementById('b').addEventListener('animationend', () => { for (;;); })`,
    )
    // What answers late is named all the same: a slow machine changes nothing.
    const limits = { answerMs: 3000 }
    await expect(play([page], { limits })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^title did not answer in time/),
    })
    const options = { scratch: await scratchFolder(), signal: new AbortController().signal }
    expect(await rehearse(page, options, { ...usualLimits, ...limits })).toEqual([
      { message: expect.stringContaining('did not answer in time') },
    ])
  })

  it('is told in short, however much it says', async () => {
    const options = { scratch: await scratchFolder(), signal: new AbortController().signal }
    const script = `${timeline('')}
      for (let n = 0; n < 100; n += 1) Promise.reject(new Error(n + 'x'.repeat(1e5)))
      for (let n = 0; n < 100; n += 1) document.body.append(document.createElement('iframe'))`
    const told = await rehearse(particle('<p>x</p>', script), options)
    expect(told.length).toBeGreaterThan(2)
    expect(told.length).toBeLessThan(80)
    expect(Math.max(...told.map(({ message }) => message.length))).toBeLessThanOrEqual(301)
  })

  it.each([
    { what: 'objects', script: 'const kept = []; for (;;) kept.push(new Array(1e6).fill(0.5))' },
    { what: 'buffers', script: 'const kept = []; for (;;) kept.push(new Uint8Array(2e7).fill(1))' },
  ])('is named when it takes memory without end: $what', async ({ script }) => {
    const page = particle('', `${timeline('')}; ${script}`)
    await expect(play([page], { limits: { memoryBytes: 250 * 2 ** 20 } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^title (takes too much memory|broke the browser down)/),
    })
  })

  it('is told to paint something', async () => {
    const options = { scratch: await scratchFolder(), signal: new AbortController().signal }
    expect(await rehearse(particle('<p hidden>x</p>', timeline('')), options)).toEqual([
      { severity: 'warning', message: 'draws nothing at any of five moments, its ends included' },
    ])
    const good = particle('<b style="position:absolute;inset:0;background:red"></b>', timeline(''))
    expect(await rehearse(good, options)).toEqual([])
  })

  it('is told all problems at once', async () => {
    const options = { scratch: await scratchFolder(), signal: new AbortController().signal }
    const page = particle('<img src="http://one.invalid/a">', "window.open('x')\nthrow new Error('three')")
    const told = (await rehearse(page, options)).map(({ message }) => message)
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringContaining('http://one.invalid/a'),
        expect.stringContaining('opens a window'),
        expect.stringContaining('three'),
        expect.stringContaining('no timeline is registered'),
      ]),
    )
  })
})

describe.skipIf(lacksBrowser)('a browser', () => {
  it.skipIf(process.platform !== 'linux')(
    'that breaks down is followed by another, and no frame is lost',
    async () => {
      const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 10))', 4)}`, {
        duration: 4,
      })
      const scratch = await scratchFolder()
      let killed = 0
      let tried = false
      const shots = await play([page], {
        frames: 40,
        scratch,
        onFrame: () => {
          if (tried) return
          tried = true
          killed = killBrowsers(scratch)
        },
      })
      expect(killed).toBeGreaterThan(0)
      expect(numbersShown(shots)).toEqual(Array.from({ length: 40 }, (_, frame) => frame))
    },
  )

  it('that does not start is tried once more', async () => {
    const real = findChromium(process.env['PATH'] ?? '') ?? ''
    const folder = await scratchFolder()
    const program = join(folder, basename(real))
    await writeFile(
      program,
      `#!/bin/sh\n[ -e "$0.tried" ] && exec "${real}" "$@"\n: > "$0.tried"; exit 1\n`,
      {
        mode: 0o755,
      },
    )
    lookOn(folder)
    onTestFinished(() => lookOn(process.env['PATH']))
    expect(await play([particle('<p>x</p>', timeline(''))], { frames: 1 })).toHaveLength(1)
    expect(await readdir(folder)).toContain(`${basename(real)}.tried`)
  })

  it('leaves nothing when it is aborted before it starts', async () => {
    const scratch = await scratchFolder()
    const { signal, abort } = abortable()
    const starting = Browser.launch({ scratch, beginFrame: false, limits: usualLimits, signal })
    abort()
    await expect(starting).rejects.toThrow('enough')
    expect(await readdir(scratch)).toEqual([])
  })

  it('ends with the work, at once when it is aborted', async () => {
    const scratch = await scratchFolder()
    const { signal, abort } = abortable()
    const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 10))', 9)}`, {
      duration: 9,
    })
    await expect(play([page], { frames: 90, threads: 2, scratch, signal, onFrame: abort })).rejects.toThrow(
      'enough',
    )
    expect(await readdir(scratch)).toEqual([])
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) }
}

/** Ends every process of the browsers whose profiles lie in this folder; tells how many there were. */
function killBrowsers(scratch: string): number {
  let ended = 0
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    let command = ''
    try {
      command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      // It has just ended.
    }
    if (!command.includes(`--user-data-dir=${scratch}`)) continue
    try {
      process.kill(pid, 'SIGKILL')
      ended += 1
    } catch {
      // It has ended with the one before.
    }
  }
  return ended
}

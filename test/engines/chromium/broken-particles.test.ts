import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { rehearse } from '../../../src/engines/chromium/rehearse.ts'
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
    await expect(play([good, page], { scratch, limits: { answerMs: 1500 } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^beats\[1\] did not answer in time/),
    })
    expect(await readdir(scratch)).toEqual([])
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
      { message: 'draws nothing, from its start to its end' },
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
      let killed = false
      const shots = await play([page], {
        frames: 40,
        scratch,
        onFrame: () => {
          if (killed) return
          killed = true
          killBrowsers(scratch)
        },
      })
      expect(killed).toBe(true)
      expect(numbersShown(shots)).toEqual(Array.from({ length: 40 }, (_, frame) => frame))
    },
  )

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

/** Ends every process of the browsers whose profiles lie in this folder. */
function killBrowsers(scratch: string): void {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    let command = ''
    try {
      command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      // It has just ended.
    }
    if (command.includes(`--user-data-dir=${scratch}`)) process.kill(pid, 'SIGKILL')
  }
}

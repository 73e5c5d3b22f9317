import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { particleError } from '../../../src/engines/chromium/particle.ts'
import { lacksBrowser, openPage, particle, play, dryRunProblems, scratchFolder, timeline } from './play.ts'

const control = '\x21\xf9\x04'
const animated =
  '<svg xmlns="http://www.w3.org/2000/svg"><animate attributeName="width" to="9" dur="1s"/></svg>'
const movingGif = Buffer.from(`GIF89a${control}one${control}two`, 'latin1').toString('base64')

describe.skipIf(lacksBrowser)('a particle that cannot be played', () => {
  let host: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    host = await openPage()
  })
  afterAll(() => host[Symbol.asyncDispose]())

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
      told: /^title: timeline "test" cannot seek/,
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
      told: /^title: rewrites its page/,
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
      told: /^title: it cannot be played \(its script replaces built-in/,
    },
    {
      what: 'has no template',
      page: { ...particle('', ''), html: '<p>x</p>' },
      told: /^title: has no <template>/,
    },
    {
      what: 'has an animated drawing as an image',
      page: particle(`\n<img src="data:image/svg+xml,${encodeURIComponent(animated)}">`, timeline('')),
      told: /^title: line 2: has an animated image/,
    },
    {
      what: 'makes an animated drawing an image',
      page: particle(
        '',
        timeline(`new Image().src = 'data:image/svg+xml,' + encodeURIComponent('${animated}')`),
      ),
      told: /^title: has an animated image/,
    },
    ...[
      { what: 'new AudioContext()', name: 'AudioContext' },
      { what: "new BroadcastChannel('a')", name: 'BroadcastChannel' },
      { what: 'Atomics.waitAsync(new Int32Array(4), 0, 0, 5)', name: 'waitAsync' },
      { what: 'new PerformanceObserver(() => {})', name: 'PerformanceObserver' },
      { what: "document.createElement('canvas').captureStream()", name: 'captureStream' },
      { what: 'document.startViewTransition(() => {})', name: 'startViewTransition' },
    ].map(({ what, name }) => ({
      what: `does ${what}`,
      page: particle('', `${timeline('')}; ${what}`),
      told: new RegExp(`^title: uses ${name}, whose time cannot be controlled`),
    })),
    {
      what: 'observes with a delay',
      page: particle(
        '',
        `${timeline('')}; new IntersectionObserver(() => {}, { delay: 100, trackVisibility: true })`,
      ),
      told: /^title: uses IntersectionObserver with a delay, whose time/,
    },
    {
      what: 'has a bar that moves by itself',
      page: particle('<progress></progress>', timeline('')),
      told: /^title: has <progress> without a value, whose time/,
    },
    {
      what: 'shows a blob of no type',
      page: particle(
        '<img id="img">',
        timeline("document.getElementById('img').src = URL.createObjectURL(new Blob(['x']))"),
      ),
      told: /^title: .*shows a blob that is not an image: give it a type/,
    },
  ])('says so when it $what', async ({ page, told }) => {
    const problems = await host.problemsOf(page)
    expect(particleError(page.name, problems)).toMatchObject({
      code: 6016,
      message: expect.stringMatching(told),
    })
  })

  it('says so when it begins what never ends, or goes on by what takes real time', async () => {
    await using impatient = await openPage({ settleMs: 500 })
    for (const script of [
      timeline('new Response(new ReadableStream({ start() {} })).text()'),
      `${timeline('')}; (async () => { for (;;) await new Blob(['x']).text() })()`,
    ]) {
      expect(await impatient.problemsOf(particle('', script))).toEqual([
        { message: 'text() did not finish within 0.5 s, the longest wait for a frame' },
      ])
    }
  })

  it('is played through where each frame takes long, but none as long as an answer may', async () => {
    // Its clock stands still: this is about a tenth of a second of work.
    const page = particle('<p>x</p>', timeline('let n = 1e8; while (n > 0) n -= 1; window.left = n'))
    expect(await dryRunProblems(page, { fps: 30, responseMs: 2000 })).toEqual([])
  })

  it('is named when it never ends a script, after a second try', async () => {
    const page = particle('', timeline('if (t > 0.4) for (;;);'), { name: 'beats[1]' })
    const good = particle('', timeline(''), { name: 'beats[0]' })
    const scratch = await scratchFolder()
    await expect(play([good, page], { scratch, limits: { responseMs: 5000 } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^beats\[1\] did not respond in time/),
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
    const limits = { responseMs: 3000 }
    await expect(play([page], { limits })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^title did not respond in time/),
    })
    expect(await dryRunProblems(page, limits)).toEqual([
      { message: expect.stringContaining('did not respond in time') },
    ])
  })

  it('is told in short, however much it says', async () => {
    const script = `${timeline('')}
      for (let n = 0; n < 100; n += 1) Promise.reject(new Error(n + 'x'.repeat(1e5)))
      for (let n = 0; n < 100; n += 1) document.body.append(document.createElement('iframe'))`
    const told = await dryRunProblems(particle('<p>x</p>', script))
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
      message: expect.stringMatching(/^title (uses too much memory|crashed the browser)/),
    })
  })

  it('is played on every frame that a render takes', async () => {
    const seek = 'if (Math.abs(t - 17 / 24) < 0.001) throw new Error(`at ${t}`)'
    const page = particle('<p>x</p>', timeline(seek))
    expect(await dryRunProblems(page, { fps: 24 })).toEqual([
      { message: `Uncaught Error: at ${17 / 24}`, line: 2 },
    ])
    expect(await dryRunProblems(page, { fps: 10 })).toEqual([])
  })

  it('is looked at only, in the end, when it takes long to play', async () => {
    const seek = 'if (t > 8 || t === 2) throw new Error(`at ${t}`)'
    const page = particle('<p>x</p>', timeline(seek, 10), { duration: 10 })
    const told = await dryRunProblems(page, { playCpuMs: -1 })
    expect(told).toEqual([
      { message: 'Uncaught Error: at 9.9', line: 2 },
      { severity: 'warning', message: expect.stringMatching(/^takes long to play: .* up to 0\.0 of 10 s/) },
    ])
  })

  it('is not told that it draws nothing where it was only looked at', async () => {
    const seek = "document.querySelector('p').hidden = t !== 5"
    const page = particle('<p>x</p>', timeline(seek, 10), { duration: 10 })
    expect(await dryRunProblems(page, { playCpuMs: -1 })).toEqual([
      { severity: 'warning', message: expect.stringMatching(/^takes long to play/) },
    ])
  })

  it('is played through however little the machine does in a second', async () => {
    // It waits for nothing, as one does whose browser gets no processor.
    const page = particle('<p>x</p>', timeline('if (t === 0.2) new Response(new ReadableStream()).text()'))
    const told = await dryRunProblems(page, { settleMs: 2500, playCpuMs: 2000 })
    expect(told).toEqual([{ message: expect.stringContaining('did not finish within 2.5 s') }])
  })

  it('is told to paint something', async () => {
    expect(await dryRunProblems(particle('<p hidden>x</p>', timeline('')))).toEqual([
      { severity: 'warning', message: 'draws nothing' },
    ])
    const good = particle('<b style="position:absolute;inset:0;background:red"></b>', timeline(''))
    expect(await dryRunProblems(good)).toEqual([])
  })

  it('is not played to its end when it fails on every frame', async () => {
    const page = particle('<p>x</p>', timeline('if (t > 0) throw new Error(`at ${t}`)', 60), { duration: 60 })
    // At the most so many are told at a time.
    expect((await dryRunProblems(page)).length).toBeLessThan(100 + 20)
  })

  it('is told all problems at once', async () => {
    const page = particle('<img src="http://one.invalid/a">', "window.open('x')\nthrow new Error('three')")
    const told = (await dryRunProblems(page)).map(({ message }) => message)
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

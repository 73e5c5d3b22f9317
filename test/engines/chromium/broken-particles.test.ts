import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { particleError } from '../../../src/engines/chromium/particle.ts'
import { lacksBrowser, openPlayer, particle, play, dryRunProblems, timeline } from './play.ts'

const control = '\x21\xf9\x04'
const animated =
  '<svg xmlns="http://www.w3.org/2000/svg"><animate attributeName="width" to="9" dur="1s"/></svg>'
const movingGif = Buffer.from(`GIF89a${control}one${control}two`, 'latin1').toString('base64')

describe.skipIf(lacksBrowser)('a particle that cannot be played', () => {
  let host: Awaited<ReturnType<typeof openPlayer>>
  beforeAll(async () => {
    host = await openPlayer()
  })
  afterAll(() => host[Symbol.asyncDispose]())

  it.each([
    {
      what: 'has an endless timeline',
      page: particle('', timeline('', Infinity)),
      expected: /^title: timeline "test" is endless/,
    },
    {
      what: 'cannot seek',
      page: particle('', 'window.__timelines = { test: { play() {} } }'),
      expected: /^title: timeline "test" cannot seek/,
    },
    {
      what: 'has an error in its script',
      page: particle('<p>\n</p>', `${timeline('')}\n\nnothing.is = 1`),
      expected: /^title: line 5: .*nothing is not defined/,
    },
    {
      what: 'has a syntax error',
      page: particle('', `${timeline('')}\nlet = = 1`),
      expected: /^title: line 3: .*SyntaxError/,
    },
    {
      what: 'fails in the middle',
      page: particle('', timeline("if (t > 0.4) throw new Error('in the middle')")),
      expected: /^title: line 2: .*in the middle/,
    },
    {
      what: 'rejects a promise',
      page: particle('', `${timeline('')}\nPromise.reject(new Error('not kept'))`),
      expected: /^title: line 3: .*not kept/,
    },
    {
      what: 'has 10,000 elements',
      page: particle('<i></i>'.repeat(10_000), timeline('')),
      expected: /^title: has 100\d\d elements; at most 5000/,
    },
    {
      what: 'needs a library that is not installed',
      page: particle(
        '<script src="https://cdn.jsdelivr.net/npm/gsap@3.12.5/dist/gsap.min.js"></script>',
        timeline(''),
      ),
      expected: /^title: needs GSAP 3 .*npm install gsap@3/,
    },
    {
      what: 'has an animated image',
      page: particle(`\n<img src="data:image/gif;base64,${movingGif}">`, timeline('')),
      expected: /^title: line 2: has an animated image/,
    },
    {
      what: 'attaches a shadow tree',
      page: particle(
        '<p id="p">x</p>',
        `${timeline('')}; document.getElementById('p').attachShadow({ mode: 'closed' })`,
      ),
      expected: /^title: has a shadow tree/,
    },
    {
      what: 'has a shadow tree in its source',
      page: particle('\n<p><template shadowrootmode="closed"><i>x</i></template></p>', timeline('')),
      expected: /^title: line 2: has a shadow tree/,
    },
    {
      what: 'rewrites its page',
      page: particle('', timeline("if (t > 0.4) document.write('<p>x</p>')")),
      expected: /^title: rewrites its page/,
    },
    {
      what: 'replaces built-in objects of the language',
      page: particle(
        '',
        timeline(
          `const all = [].values
           Array.prototype[Symbol.iterator] = function () {
             return all.call(typeof this[0] === 'number' ? [] : this)
           }`,
        ),
      ),
      expected: /^title: it cannot be played \(its script replaces built-in/,
    },
    {
      what: 'has no template',
      page: { ...particle('', ''), html: '<p>x</p>' },
      expected: /^title: has no <template>/,
    },
    {
      what: 'has an animated SVG as an image',
      page: particle(`\n<img src="data:image/svg+xml,${encodeURIComponent(animated)}">`, timeline('')),
      expected: /^title: line 2: has an animated image/,
    },
    {
      what: 'uses an animated SVG as an image by script',
      page: particle(
        '',
        timeline(`new Image().src = 'data:image/svg+xml,' + encodeURIComponent('${animated}')`),
      ),
      expected: /^title: has an animated image/,
    },
    ...[
      { what: 'new AudioContext()', name: 'AudioContext' },
      { what: "new BroadcastChannel('a')", name: 'BroadcastChannel' },
      { what: 'Atomics.waitAsync(new Int32Array(4), 0, 0, 5)', name: 'waitAsync' },
      { what: 'new PerformanceObserver(() => {})', name: 'PerformanceObserver' },
      { what: "document.createElement('canvas').captureStream()", name: 'captureStream' },
      { what: 'document.startViewTransition(() => {})', name: 'startViewTransition' },
    ].map(({ what, name }) => ({
      what: `calls ${what}`,
      page: particle('', `${timeline('')}; ${what}`),
      expected: new RegExp(`^title: uses ${name}, whose time cannot be controlled`),
    })),
    {
      what: 'observes with a delay',
      page: particle(
        '',
        `${timeline('')}; new IntersectionObserver(() => {}, { delay: 100, trackVisibility: true })`,
      ),
      expected: /^title: uses IntersectionObserver with a delay, whose time/,
    },
    {
      what: 'has an indeterminate progress bar',
      page: particle('<progress></progress>', timeline('')),
      expected: /^title: has <progress> without a value, whose time/,
    },
    {
      what: 'shows a blob without a type',
      page: particle(
        '<img id="img">',
        timeline("document.getElementById('img').src = URL.createObjectURL(new Blob(['x']))"),
      ),
      expected: /^title: .*shows a blob that is not an image: give it a type/,
    },
  ])('is rejected when it $what', async ({ page, expected }) => {
    const problems = await host.problemsOf(page)
    expect(particleError(page.name, problems)).toMatchObject({
      code: 6016,
      message: expect.stringMatching(expected),
    })
  })

  it('is rejected when it starts work that never ends, or continues by work in real time', async () => {
    await using impatient = await openPlayer({ settleMs: 500 })
    for (const script of [
      timeline('new Response(new ReadableStream({ start() {} })).text()'),
      `${timeline('')}; (async () => { for (;;) await new Blob(['x']).text() })()`,
    ]) {
      expect(await impatient.problemsOf(particle('', script))).toEqual([
        { message: 'text() did not finish within 0.5 s, the longest wait for a frame' },
      ])
    }
  })

  it('has its messages truncated', async () => {
    const script = `${timeline('')}
      for (let n = 0; n < 100; n += 1) Promise.reject(new Error(n + 'x'.repeat(1e5)))
      for (let n = 0; n < 100; n += 1) document.body.append(document.createElement('iframe'))`
    const problems = await dryRunProblems(particle('<p>x</p>', script))
    expect(problems.length).toBeGreaterThan(2)
    expect(problems.length).toBeLessThan(80)
    expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThanOrEqual(301)
  })

  it.each([
    { what: 'objects', script: 'const kept = []; for (;;) kept.push(new Array(1e6).fill(0.5))' },
    { what: 'buffers', script: 'const kept = []; for (;;) kept.push(new Uint8Array(2e7).fill(1))' },
  ])('is named when it allocates memory without limit: $what', async ({ script }) => {
    const page = particle('', `${timeline('')}; ${script}`)
    await expect(play([page], { limits: { memoryBytes: 250 * 2 ** 20 } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^title (uses too much memory|crashed the browser)/),
    })
  })

  it('is played on every frame of a render', async () => {
    const seek = 'if (Math.abs(t - 17 / 24) < 0.001) throw new Error(`at ${t}`)'
    const page = particle('<p>x</p>', timeline(seek))
    expect(await dryRunProblems(page, { fps: 24 })).toEqual([
      { message: `Uncaught Error: at ${17 / 24}`, line: 2 },
    ])
    expect(await dryRunProblems(page, { fps: 10 })).toEqual([])
  })

  it('is played on single frames only when it takes long to play', async () => {
    const seek = 'if (t > 8 || t === 2) throw new Error(`at ${t}`)'
    const page = particle('<p>x</p>', timeline(seek, 10), { duration: 10 })
    const problems = await dryRunProblems(page, { playCpuMs: -1 })
    expect(problems).toEqual([
      { message: 'Uncaught Error: at 9.9', line: 2 },
      { severity: 'warning', message: expect.stringMatching(/^takes long to play: .* up to 0\.0 of 10 s/) },
    ])
  })

  it('gets no warning that it draws nothing if frames were skipped', async () => {
    const seek = "document.querySelector('p').hidden = t !== 5"
    const page = particle('<p>x</p>', timeline(seek, 10), { duration: 10 })
    expect(await dryRunProblems(page, { playCpuMs: -1 })).toEqual([
      { severity: 'warning', message: expect.stringMatching(/^takes long to play/) },
    ])
  })

  it('gets a warning if it draws nothing', async () => {
    expect(await dryRunProblems(particle('<p hidden>x</p>', timeline('')))).toEqual([
      { severity: 'warning', message: 'draws nothing' },
    ])
  })

  it('is not played to its end when it fails on every frame', async () => {
    const page = particle('<p>x</p>', timeline('if (t > 0) throw new Error(`at ${t}`)', 60), { duration: 60 })
    // At most 20 problems are reported per call.
    expect((await dryRunProblems(page)).length).toBeLessThan(100 + 20)
  })

  it('gets all problems at once', async () => {
    const page = particle('<img src="http://one.invalid/a">', "window.open('x')\nthrow new Error('three')")
    const messages = (await dryRunProblems(page)).map(({ message }) => message)
    expect(messages).toEqual(
      expect.arrayContaining([
        expect.stringContaining('http://one.invalid/a'),
        expect.stringContaining('opens a window'),
        expect.stringContaining('three'),
        expect.stringContaining('no timeline is registered'),
      ]),
    )
  })
})

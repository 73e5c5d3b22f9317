import { createServer, type Server } from 'node:net'
import { createSocket } from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { defaultBrowserLimits } from '../../../src/engines/chromium/browser-failure.ts'
import { Browser } from '../../../src/engines/chromium/browser.ts'
import { findChromium } from '../../../src/engines/chromium/locate.ts'
import { splitSearchPath, setSearchPath } from '../../../src/platform/environment.ts'
import {
  counterCells,
  lacksBrowser,
  numbersShown,
  openPlayer,
  particle,
  play,
  captureFolder,
  showNumber,
  timeline,
} from './play.ts'

let server: Server
let connections = 0
let datagrams = 0
let address: string
const arrived = Promise.withResolvers<void>()
const udp = createSocket('udp4', () => {
  datagrams += 1
  arrived.resolve()
})

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  address = `127.0.0.1:${port}`
})
afterAll(() => {
  server.close()
  udp.close()
})

/** Attempts to leave a page. `AT` is the host and port that must not be reached; `expected` is part of the message. */
const attempts: Record<string, { body?: string; script?: string; expected?: string }> = {
  fetch: { script: "fetch('http://AT/a').catch(() => {})" },
  XMLHttpRequest: { script: "const x = new XMLHttpRequest(); x.open('GET', 'http://AT/a'); x.send()" },
  image: { body: '<img src="http://AT/a.png">' },
  'image by script': { script: "new Image().src = 'http://AT/a.png'" },
  background: { body: '<b style="background:url(http://AT/a.png)">x</b>' },
  'style sheet': { body: '<link rel="stylesheet" href="http://AT/a.css">' },
  import: { body: '<style>@import url(http://AT/a.css);</style>' },
  'import by name': { body: "<style>@import 'http://AT/a.css';</style>" },
  cursor: { body: '<style>p { cursor: url(http://AT/a.cur), auto }</style><p>x</p>', expected: '' },
  'set of images': { body: '<b style="background:image-set(\'http://AT/a.png\' 1x)">x</b>' },
  'source of a picture': { body: '<picture><source srcset="http://AT/a.png"><img></picture>' },
  'image button': { body: '<input type="image" src="http://AT/a.png">' },
  'background of a table': { body: '<table background="http://AT/a.png"><td>x</table>' },
  font: {
    body: '<style>@font-face { font-family: a; src: url(http://AT/a.woff2) } p { font-family: a }</style><p>x</p>',
  },
  script: { body: '<script src="http://AT/a.js"></script>' },
  module: { script: "import('http://AT/a.js').catch(() => {})" },
  'module by a name': {
    body: '<script type="importmap">{ "imports": { "a": "http://AT/a.js" } }</script>',
    script: "import('a').catch(() => {})",
  },
  WebSocket: { script: "new WebSocket('ws://AT/')", expected: 'ws://AT/' },
  EventSource: { script: "new EventSource('http://AT/a')" },
  beacon: { script: "navigator.sendBeacon('http://AT/a', 'x')" },
  'beacon later': { script: "fetchLater('http://AT/a')", expected: '' },
  WebTransport: { script: "new WebTransport('https://AT/')", expected: 'WebTransport' },
  WebRTC: {
    script: "new RTCPeerConnection({ iceServers: [{ urls: 'stun:AT' }] })",
    expected: 'RTCPeerConnection',
  },
  ...Object.fromEntries(
    [
      'preconnect',
      'dns-prefetch',
      'prefetch',
      'prerender',
      'preload',
      'modulepreload',
      'manifest',
      'icon',
    ].map((rel) => [rel, { body: `<link rel="${rel}" as="image" href="http://AT/a">` }]),
  ),
  'preconnect by script': {
    script:
      "document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'http://AT/' }))",
  },
  speculation: {
    body: '<script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["http://AT/a"] }] }</script>',
    expected: 'speculation rules',
  },
  worker: {
    script: 'new Worker(URL.createObjectURL(new Blob([\'importScripts("http://AT/a.js")\'])))',
    expected: 'worker',
  },
  'shared worker': { script: "new SharedWorker('http://AT/a.js')", expected: 'SharedWorker' },
  'service worker': { script: "navigator.serviceWorker.register('http://AT/a.js')", expected: 'register' },
  worklet: { script: "CSS.paintWorklet.addModule('http://AT/a.js')", expected: 'addModule' },
  form: {
    body: '<form id="form" action="http://AT/a"></form>',
    script: "document.getElementById('form').submit()",
  },
  navigation: { script: "location.href = 'http://AT/a'" },
  refresh: { body: '<meta http-equiv="refresh" content="0; url=http://AT/a">' },
  window: { script: "window.open('http://AT/a')" },
  link: {
    body: '<a id="a" href="http://AT/a" ping="http://AT/b">x</a>',
    script: "document.getElementById('a').click()",
  },
  ping: {
    body: '<a id="a" href="#b" ping="http://AT/b">x</a>',
    script: "document.getElementById('a').click()",
    expected: '',
  },
  'form by a button': {
    body: '<form><button id="button" formaction="http://AT/a"></button></form>',
    script: "document.getElementById('button').click()",
  },
  frame: { body: '<iframe src="http://AT/a"></iframe>', expected: '<iframe>' },
  'frame of its own': {
    script:
      "const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.fetch('http://AT/a').catch(() => {})",
    expected: '<iframe>',
  },
  object: { body: '<object data="http://AT/a"></object>', expected: '<object>' },
  video: { body: '<video src="http://AT/a.mp4"></video>', expected: '<video>' },
  'image of SVG': { body: '<svg><image href="http://AT/a.png" width="9" height="9"/></svg>' },
  'use of SVG': { body: '<svg><use href="http://AT/a.svg#b"/></svg>' },
  'script of SVG': { body: '<svg><script href="http://AT/a.js"></script></svg>' },
  'filter of SVG': {
    body: '<svg><filter id="f"><feImage href="http://AT/a.png"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>',
  },
}

describe.skipIf(lacksBrowser)('a particle', () => {
  let page: Awaited<ReturnType<typeof openPlayer>>
  beforeAll(async () => {
    page = await openPlayer()
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it.each(Object.entries(attempts))(
    'has no network: %s',
    async (_, { body = '', script = '', expected = 'http://AT/' }) => {
      const at = (text: string) => text.replaceAll('AT', address)
      const problems = await page.problemsOf(particle(at(body), `${timeline('')}; ${at(script)}`))
      expect(problems.map(({ message }) => message).join('\n')).toContain(at(expected))
      expect([connections, datagrams]).toEqual([0, 0])
    },
  )

  it('cannot read files', async () => {
    const folder = await captureFolder()
    const path = join(folder, 'canary.js')
    await writeFile(path, "document.title = 'read'; window.canary = 'eaten'")
    const file = pathToFileURL(path).href
    const script = `${timeline('')}; fetch('${file}').then((r) => r.text()).then((t) => { throw new Error(t) }, () => {})`
    const problems = await page.problemsOf(
      particle(`<img src="${file}"><script src="${file}"></script>`, script),
    )
    const messages = problems.map(({ message }) => message).join('\n')
    expect(messages).toContain('requests file')
    expect(messages).not.toContain('eaten')
  })

  it('has not reached the server after all attempts', async () => {
    await page[Symbol.asyncDispose]()
    expect([connections, datagrams]).toEqual([0, 0])
  })

  it('makes a render fail with its name and the address', async () => {
    const one = particle('', timeline("if (t > 0.4) fetch('http://' + '127.0.0.1:1/secret').catch(() => {})"))
    await expect(play([{ ...one, name: 'beats[3]' }])).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^beats\[3\]: .*http:\/\/127\.0\.0\.1:1\/secret/),
    })
  })

  it('cannot reach the page, messages or storage of another particle', async () => {
    const spy = particle(
      '',
      `${timeline('')}; let reached = ''
       for (const other of [parent, ...Array.from({ length: parent.length }, (_, i) => parent[i])]) {
         if (other === window) continue
         for (const way of [() => other.document.body, () => other.__timelines, () => other.localStorage])
           try { way(); reached += way } catch {}
         other.postMessage(99, '*')
         try { other.location = 'data:text/html,gone' } catch {}
       }
       if (reached) throw new Error(reached)`,
      { name: 'spy', start: 0.1, duration: 0.9 },
    )
    const other = particle(
      counterCells,
      `${showNumber}; let heard = 0; addEventListener('message', ({ data }) => (heard = data)); ${timeline('show(heard || Math.round(t * 10))')}`,
    )
    expect(numbersShown(await play([other, spy]))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe.skipIf(lacksBrowser)('a page without the player script', () => {
  const gather = `(async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:AT' }] })
    peer.createDataChannel('a')
    await peer.setLocalDescription(await peer.createOffer())
    if (peer.iceGatheringState !== 'complete')
      await new Promise((done) => (peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done()))
  })()`

  async function gatherIn(flag: string): Promise<number> {
    const folder = await captureFolder()
    const real = findChromium(splitSearchPath(process.env['PATH'])) ?? ''
    await writeFile(join(folder, basename(real)), `#!/bin/sh\nexec "${real}" "$@" ${flag}\n`, { mode: 0o755 })
    setSearchPath(folder)
    onTestFinished(() => setSearchPath(process.env['PATH']))
    const before = datagrams
    const { signal } = new AbortController()
    const browser = await Browser.launch({
      scratch: folder,
      limits: defaultBrowserLimits,
      signal,
      beginFrame: false,
    })
    const { targetId } = await browser.call('Target.createTarget', { url: 'about:blank' })
    const { sessionId: session } = await browser.call('Target.attachToTarget', { targetId, flatten: true })
    const expression = gather.replaceAll('AT', address)
    const gathered = browser.call('Runtime.evaluate', { expression, awaitPromise: true }, { session })
    await Promise.race([gathered, arrived.promise])
    await browser[Symbol.asyncDispose]()
    return datagrams - before
  }

  it('sends no datagrams', async () => {
    expect(await gatherIn('')).toBe(0)
    // Verifies the test itself: with this flag, the browser does send datagrams.
    expect(await gatherIn('--force-webrtc-ip-handling-policy=default')).toBeGreaterThan(0)
  })
})

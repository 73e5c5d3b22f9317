import { createServer, type Server } from 'node:net'
import { createSocket } from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

let server: Server
let connections = 0
let datagrams = 0
let address: string
const udp = createSocket('udp4', () => (datagrams += 1))

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

/** Ways out of a page: `AT` is the host and port that must not be reached. */
const attempts: Record<string, { body?: string; script?: string; told?: string }> = {
  fetch: { script: "fetch('http://AT/a').catch(() => {})" },
  XMLHttpRequest: { script: "const x = new XMLHttpRequest(); x.open('GET', 'http://AT/a'); x.send()" },
  image: { body: '<img src="http://AT/a.png">' },
  'image by script': { script: "new Image().src = 'http://AT/a.png'" },
  background: { body: '<b style="background:url(http://AT/a.png)">x</b>' },
  'style sheet': { body: '<link rel="stylesheet" href="http://AT/a.css">' },
  import: { body: '<style>@import url(http://AT/a.css);</style>' },
  font: {
    body: '<style>@font-face { font-family: a; src: url(http://AT/a.woff2) } p { font-family: a }</style><p>x</p>',
  },
  script: { body: '<script src="http://AT/a.js"></script>' },
  module: { script: "import('http://AT/a.js').catch(() => {})" },
  WebSocket: { script: "new WebSocket('ws://AT/')", told: 'ws://AT/' },
  EventSource: { script: "new EventSource('http://AT/a')" },
  beacon: { script: "navigator.sendBeacon('http://AT/a', 'x')" },
  WebRTC: {
    script: "new RTCPeerConnection({ iceServers: [{ urls: 'stun:AT' }] })",
    told: 'RTCPeerConnection',
  },
  preconnect: { body: '<link rel="preconnect" href="http://AT/">' },
  prefetch: { body: '<link rel="prefetch" href="http://AT/a">' },
  'prefetch by script': {
    script:
      "document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'http://AT/' }))",
  },
  speculation: {
    body: '<script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["http://AT/a"] }] }</script>',
    told: 'speculation rules',
  },
  worker: {
    script: 'new Worker(URL.createObjectURL(new Blob([\'importScripts("http://AT/a.js")\'])))',
    told: 'worker',
  },
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
  frame: { body: '<iframe src="http://AT/a"></iframe>', told: '<iframe>' },
  'frame of its own': {
    script:
      "const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.fetch('http://AT/a').catch(() => {})",
    told: '<iframe>',
  },
  object: { body: '<object data="http://AT/a"></object>', told: '<object>' },
  video: { body: '<video src="http://AT/a.mp4"></video>', told: '<video>' },
  SVG: { body: '<svg><image href="http://AT/a.png" width="9" height="9"/></svg>' },
}

describe.skipIf(lacksBrowser)('a particle', () => {
  it.each(Object.entries(attempts))(
    'has no network: %s',
    async (_, { body = '', script = '', told = 'http://AT/' }) => {
      const at = (text: string) => text.replaceAll('AT', address)
      const page = particle(at(body), `${timeline('')}; ${at(script)}`)
      const options = { scratch: await scratchFolder(), signal: new AbortController().signal }
      const problems = await rehearse(page, options)
      expect(problems.map(({ message }) => message).join('\n')).toContain(at(told))
      expect([connections, datagrams]).toEqual([0, 0])
    },
  )

  it('fails the whole with its name and the address', async () => {
    const page = particle(
      '',
      timeline("if (t > 0.4) fetch('http://' + '127.0.0.1:1/secret').catch(() => {})"),
    )
    await expect(play([{ ...page, name: 'beats[3]' }])).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(/^beats\[3\]: .*http:\/\/127\.0\.0\.1:1\/secret/),
    })
  })

  it('reads no file of the machine', async () => {
    const folder = await scratchFolder()
    const path = join(folder, 'canary.js')
    await writeFile(path, "document.title = 'read'; window.canary = 'eaten'")
    const file = pathToFileURL(path).href
    const script = `${timeline('')}; fetch('${file}').then((r) => r.text()).then((t) => { throw new Error(t) }, () => {})`
    const problems = await rehearse(particle(`<img src="${file}"><script src="${file}"></script>`, script), {
      scratch: folder,
      signal: new AbortController().signal,
    })
    const told = problems.map(({ message }) => message).join('\n')
    expect(told).toContain('asks for file')
    expect(told).not.toContain('eaten')
  })

  it('reaches no other: not its page, its messages or its storage', async () => {
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
    const page = particle(
      counterCells,
      `${showNumber}; let heard = 0; addEventListener('message', ({ data }) => (heard = data)); ${timeline('show(heard || Math.round(t * 10))')}`,
    )
    expect(numbersShown(await play([page, spy]))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

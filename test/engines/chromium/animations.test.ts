import { describe, expect, it } from 'vitest'
import { lacksBrowser, particle, play, readPng, size, timeline, type Pixels } from './play.ts'

const rowHeight = 15

/** Scripts that animate the box of a row, and the box's left edge (px) on each frame. */
const rows = [
  {
    what: 'started when another ends',
    script: `const first = box.animate({ left: ['0px', '100px'] }, { duration: 200, fill: 'forwards' })
      first.onfinish = () => box.animate({ left: ['100px', '300px'] }, { duration: 400, fill: 'forwards' })`,
    lefts: [0, 50, 100, 150, 200, 250, 300, 300],
  },
  {
    what: 'a CSS transition, started when another ends',
    script: `box.animate({ opacity: [1, 1] }, 200).onfinish = () =>
      Object.assign(box.style, { transition: 'left 0.4s linear', left: '200px' })`,
    lefts: [0, 0, 0, 50, 100, 150, 200, 200],
  },
  {
    what: 'of an SVG that is added when another ends',
    script: `box.animate({ opacity: [1, 1] }, 200).onfinish = () => {
        box.style.background = 'none'
        box.innerHTML = \`<svg width="320" height="15"><rect width="10" height="15">
          <animate attributeName="x" from="0" to="200" dur="0.4s" fill="freeze"/></rect></svg>\`
      }`,
    lefts: [0, 0, 0, 50, 100, 150, 200, 200],
  },
  {
    what: 'started by a scroll event',
    script: `box.innerHTML = '<p><i></i></p>'
      const p = box.firstChild
      p.style.cssText = 'width:9px;height:9px;margin:0;overflow:auto'
      p.firstChild.style.cssText = 'display:block;height:99px'
      p.onscroll = () => box.animate({ left: ['0px', '200px'] }, { duration: 400, fill: 'forwards' })
      seeks.push((t) => t === 0.2 && (p.scrollTop = 9))`,
    lefts: [0, 0, 0, 50, 100, 150, 200, 200],
  },
  {
    what: 'started by an intersection observer',
    script: `new IntersectionObserver((_, seeing) => {
        seeing.disconnect()
        box.animate({ left: ['0px', '200px'] }, { duration: 400, fill: 'forwards' })
      }).observe(box)`,
    lefts: [0, 50, 100, 150, 200, 200, 200, 200],
  },
  {
    what: 'started by an observer that another observer created',
    script: `const see = (call) => new IntersectionObserver((_, seeing) => (seeing.disconnect(), call())).observe(box)
      see(() => see(() => box.animate({ left: ['0px', '200px'] }, { duration: 400, fill: 'forwards' })))`,
    lefts: [0, 50, 100, 150, 200, 200, 200, 200],
  },
  {
    what: 'shorter than the work its frame waits for',
    script: `seeks.push((t) => {
        if (t !== 0.3) return
        box.animate({ opacity: [1, 1] }, 30).onfinish = () => (box.style.left = '100px')
        const zeros = new Blob([new Uint8Array(2e7)]).stream()
        new Response(zeros.pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
      })`,
    lefts: [0, 0, 0, 0, 100, 100, 100, 100],
  },
  {
    what: 'that ended and seeks back',
    script: `const ended = box.animate({ left: ['0px', '200px'] }, { duration: 200, fill: 'forwards' })
      seeks.push((t) => t === 0.4 && (ended.currentTime = 0))`,
    lefts: [0, 100, 200, 200, 0, 100, 200, 200],
  },
  {
    what: 'that ended and is restarted by its start time',
    script: `const ended = box.animate({ left: ['0px', '200px'] }, { duration: 200, fill: 'forwards' })
      seeks.push((t) => t === 0.4 && (ended.startTime = document.timeline.currentTime))`,
    lefts: [0, 100, 200, 200, 0, 100, 200, 200],
  },
  {
    what: 'started by its start time only',
    script: `const effect = new KeyframeEffect(box, { left: ['0px', '200px'] }, { duration: 400, fill: 'both' })
      new Animation(effect).startTime = 0`,
    lefts: [0, 50, 100, 150, 200, 200, 200, 200],
  },
  {
    what: 'that was paused and is started by its start time',
    script: `const paused = box.animate({ left: ['0px', '200px'] }, { duration: 400, fill: 'both' })
      paused.pause()
      paused.startTime = 0`,
    lefts: [0, 50, 100, 150, 200, 200, 200, 200],
  },
  {
    what: 'whose playback rate changes from 0 to 1',
    script: `const slow = box.animate({ left: ['0px', '200px'] }, { duration: 400, fill: 'both' })
      slow.playbackRate = 0
      seeks.push((t) => t === 0.2 && (slow.playbackRate = 1))`,
    lefts: [0, 0, 50, 100, 150, 200, 200, 200],
  },
]

describe.skipIf(lacksBrowser).each(['begin-frame', 'screenshot'] as const)('by %s', (method) => {
  it('advances every animation frame by frame, starting with the frame in which it begins', async () => {
    const boxes = rows.map(
      (_, row) =>
        `<b style="position:absolute;left:0;top:${row * rowHeight}px;width:10px;height:15px;background:#06f"></b>`,
    )
    const scripts = rows.map(({ script }, row) => `{ const box = boxes[${row}]; ${script} }`)
    const page = particle(
      boxes.join(''),
      `const boxes = document.querySelectorAll('b'), seeks = []
       ${timeline('for (const seek of seeks) seek(t)')}
       ${scripts.join('\n')}`,
    )
    const shots = await play([page], { method, frames: 8 })
    const pictures = shots.flatMap(({ count, png }) => Array.from({ length: count }, () => readPng(png)))
    const leftEdge = (picture: Pixels, row: number) =>
      Array.from({ length: size.width }, (_, x) => picture.at(x, row * rowHeight + 7)[3]).indexOf(255)
    const shown = rows.map(({ what }, row) => [what, ...pictures.map((picture) => leftEdge(picture, row))])
    expect(shown).toEqual(rows.map(({ what, lefts }) => [what, ...lefts]))
  })
})

import { spawnSync } from 'node:child_process'
import { deflateSync, crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { lazy } from '../../../src/platform/cache.ts'
import { sampleCases } from '../../soak-size.ts'
import {
  counterCells,
  lacksBrowser,
  numbersShown,
  particle,
  play,
  readPng,
  showNumber,
  timeline,
} from './play.ts'

/** Returns the left edge (px) of the box of 40 pixels at (left, 60), or -1. */
function leftEdge(png: Uint8Array): number {
  const pixels = readPng(png)
  for (let x = 0; x < pixels.width; x += 1) if (pixels.at(x, 80)[3] === 255) return x
  return -1
}

const box =
  '<b id="box" style="position:absolute;left:0;top:60px;width:40px;height:40px;background:#06f"></b>'
const counted = Array.from({ length: 10 }, (_, frame) => frame)

/** Particles of one frame each. */
const shapes =
  '<b style="position:absolute;left:20px;top:20px;width:50px;height:50px;background:rgb(255 0 0 / 50%)"></b>' +
  '<b style="position:absolute;left:100.5px;top:20px;width:50px;height:50px;background:#00f"></b>'
const japanese =
  '<p style="position:absolute;margin:0;left:0;top:0;font:40px sans-serif;color:#fff">春眠不覚暁</p>'
const embedded = `
  <svg style="position:absolute;left:0;top:60px" width="50" height="50"><circle cx="25" cy="25" r="25" fill="lime"/></svg>
  <canvas id="canvas" width="50" height="50" style="position:absolute;left:60px;top:60px"></canvas>
  <img src="data:image/png;base64,${redPixel()}" style="position:absolute;left:120px;top:60px;width:50px;height:50px">
  <b style="position:absolute;left:180px;top:60px;width:50px;height:50px;background:url(data:image/png;base64,${redPixel()})"></b>`
const draw =
  "const c = document.getElementById('canvas').getContext('2d'); c.fillStyle = 'blue'; c.fillRect(0, 0, 50, 50)"
const stills = [
  particle(shapes, timeline('')),
  particle(japanese, timeline('')),
  particle(embedded, timeline(draw)),
]

describe.skipIf(lacksBrowser)('a captured frame', () => {
  // One after another.
  const stillShots = lazy(() =>
    play(
      stills.map((page, index) => ({ ...page, start: index / 10, duration: 0.1 })),
      { frames: stills.length },
    ),
  )
  const still = async (index: number) => {
    const shot = (await stillShots()).find(({ frame }) => frame === index)
    return readPng(shot?.png ?? new Uint8Array())
  }

  it('with number k shows the timeline at k / fps, whichever worker captures it', async () => {
    const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 30))', 2)}`, {
      duration: 2,
    })
    const done: number[] = []
    const shots = await play([page], {
      fps: 30,
      frames: 75,
      threads: 2,
      onFrame: (frame) => done.push(frame),
    })
    expect(numbersShown(shots)).toEqual(Array.from({ length: 60 }, (_, frame) => frame))
    expect(shots.map(({ frame }) => frame)).toEqual(Array.from({ length: 60 }, (_, frame) => frame))
    expect(done).toEqual([...Array.from({ length: 60 }, (_, frame) => frame + 1), 75])
  })

  it('does not wait for a timeline with a `then` method, such as that of GSAP, but for a promise', async () => {
    // One after another.
    const gsap = particle(
      counterCells,
      `${showNumber}
       window.__timelines = { test: { totalDuration: () => 1, totalTime(t) { show(Math.round(t * 10)); return this }, then() {} } }`,
    )
    const promised = particle(
      counterCells,
      `${showNumber}; ${timeline('return Promise.resolve().then(() => show(Math.round(t * 10)))')}`,
      { start: 1 },
    )
    const shots = await play([gsap, promised], { frames: 20, limits: { responseMs: 10_000 } })
    expect(numbersShown(shots)).toEqual([...counted, ...counted])
  })

  it('exists only while its particle is visible, whose time starts at 0', async () => {
    const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 100))')}`, {
      start: 0.25,
      duration: 0.4,
    })
    const shots = await play([page])
    expect(shots.map(({ frame }) => frame)).toEqual([3, 4, 5, 6])
    expect(numbersShown(shots)).toEqual([5, 15, 25, 35])
  })

  it('follows the callbacks of every earlier frame, whichever worker captures it', async () => {
    const page = particle(
      counterCells,
      `${showNumber}; let calls = 0
       window.__timelines = { test: { totalDuration: () => 4, totalTime: (t, quiet) => { if (!quiet) show(calls++) } } }`,
      { duration: 4 },
    )
    const shots = await play([page], { frames: 40, threads: 2 })
    expect(numbersShown(shots)).toEqual(Array.from({ length: 40 }, (_, frame) => frame))
  })

  it('keeps the alpha of half-transparent shapes and their edges', async () => {
    const pixels = await still(0)
    expect(pixels.at(5, 5)).toEqual([0, 0, 0, 0])
    expect(pixels.at(40, 40)).toEqual([255, 0, 0, 128])
    expect(pixels.at(120, 40)).toEqual([0, 0, 255, 255])
    const half = Array.from({ length: 8 }, (_, index) => pixels.at(97 + index, 40)[3])
    expect(
      half.every((alpha) => [0, 127, 128, 255].includes(alpha)),
      String(half),
    ).toBe(true)
  })

  it('shows particles by z-index, scaled to cover a frame of another size, and an opaque one on black', async () => {
    const full = (colour: string) => `<b style="position:absolute;inset:0;background:${colour}"></b>`
    const front = particle(full('rgb(0 255 0 / 50%)'), timeline(''), { zIndex: 2 })
    const square = { width: 160, height: 160 }
    const back = particle(full('#00f'), timeline(''), { zIndex: 1, name: 'back', ...square })
    const opaque = { ...front, zIndex: 3, opaque: true, start: 0.5 }
    const shots = await play([front, back, opaque], { fps: 2, frames: 2 })
    const shown = shots.flatMap(({ count, png }) => {
      const pixels = readPng(png)
      const places = [pixels.at(100, 100), pixels.at(0, 0), pixels.at(319, 179)]
      return Array.from({ length: count }, () => places)
    })
    expect(shown).toEqual(
      [
        [0, 128, 127, 255],
        [0, 128, 0, 255],
      ].map((pixel) => [pixel, pixel, pixel]),
    )
  })

  it.skipIf(!hasFontFor('ja'))('shows Japanese text if a system font supports it', async () => {
    const pixels = await still(1)
    const inked = counted.map((index) => index * 20).filter((left) => isInked(pixels, left))
    expect(inked).toEqual(counted.map((index) => index * 20))
  })

  it('shows SVG, canvas and images embedded in the source', async () => {
    const pixels = await still(2)
    expect(pixels.at(25, 85)).toEqual([0, 255, 0, 255])
    expect(pixels.at(85, 85)).toEqual([0, 0, 255, 255])
    expect(pixels.at(145, 85)).toEqual([255, 0, 0, 255])
    expect(pixels.at(205, 85)).toEqual([255, 0, 0, 255])
  })

  it('represents all following frames only if nothing can change any more', async () => {
    const seek = "document.getElementById('box').style.left = Math.round(t * 100) + 'px'"
    const move = "setTimeout(() => (document.getElementById('box').style.left = '70px'), 750)"
    // One after another.
    const shots = await play(
      [particle(box, timeline(seek, 0.5)), particle(box, `${timeline('', 0)}; ${move}`, { start: 1 })],
      { frames: 20 },
    )
    const [ended, waiting] = [
      shots.filter(({ frame }) => frame < 10),
      shots.filter(({ frame }) => frame >= 10),
    ]
    expect(ended.reduce((sum, { count }) => sum + count, 0)).toBe(10)
    expect(ended.length).toBeLessThan(10)
    expect(ended.map(({ png }) => leftEdge(png)).at(-1)).toBe(50)
    expect(waiting.flatMap(({ count, png }) => Array.from({ length: count }, () => leftEdge(png)))).toEqual([
      ...Array.from({ length: 8 }, () => 0),
      ...[70, 70],
    ])
  })
})

describe.skipIf(lacksBrowser)('motion', () => {
  const kinds = [
    // First, because it needs exact times, and 1.2 s - 1 s is less than 0.2 s.
    {
      what: 'intervals and dates',
      body: box,
      script: `${timeline('')}; const begun = Date.now(); setInterval(() =>
        (document.getElementById('box').style.left = (Date.now() - begun) / 10 + 'px'), 50)`,
    },
    {
      what: 'CSS animations',
      body: `<style>@keyframes go { to { left: 100px } } #box { animation: go 1s linear forwards }</style>${box}`,
      script: timeline(''),
    },
    {
      what: 'animations created by script',
      body: box,
      script: `document.getElementById('box').animate({ left: ['0px', '100px'] }, 1000); ${timeline('')}`,
    },
    {
      what: 'animation frames',
      body: box,
      script: `${timeline('')}; requestAnimationFrame(function on(now) {
        document.getElementById('box').style.left = Math.round(now / 10) + 'px'; requestAnimationFrame(on) })`,
    },
    {
      what: 'SVG animations',
      body: '<svg width="320" height="180"><rect y="60" width="40" height="40" fill="blue"><animate attributeName="x" from="0" to="100" dur="1s"/></rect></svg>',
      script: timeline(''),
    },
  ]
  const methods = ['begin-frame', 'screenshot'] as const
  /** Half of them has each kind once, and both methods. */
  const jobs = kinds.flatMap((kind) => methods.map((method) => ({ ...kind, method })))

  it.each(methods)(
    'of each kind is shown frame by frame, and its end by the next frame, with %s',
    async (method) => {
      const played = sampleCases(jobs, kinds.length).filter((job) => job.method === method)
      const moving = played.map((job, start) => particle(job.body, job.script, { start }))
      const body = `<style>@keyframes go { to { left: 30px } } #box { animation: go 0.3s linear forwards }</style>${box}`
      const script = `${timeline('')}; document.getElementById('box').addEventListener('animationend', () => {
      document.getElementById('box').style.top = '0px' })`
      const ending = particle(body, script, { start: played.length })
      // One after another, for a second each.
      const shots = await play([...moving, ending], { method, frames: 10 * played.length + 10 })
      const pictures = shots.flatMap(({ count, png }) => Array.from({ length: count }, () => png))
      const ended = pictures.splice(10 * played.length)
      expect(pictures.map(leftEdge)).toEqual(played.flatMap(() => counted.map((frame) => frame * 10)))
      const rows = ended.map((png) => (readPng(png).at(35, 80)[3] === 255 ? 'before' : 'after'))
      expect(rows.slice(4)).toEqual(['after', 'after', 'after', 'after', 'after', 'after'])
    },
  )
})

/** Whether the system has a font for a language; false if fc-list is not installed. */
function hasFontFor(language: string): boolean {
  return (spawnSync('fc-list', [`:lang=${language}`, 'family']).stdout?.length ?? 0) > 0
}

function isInked(pixels: ReturnType<typeof readPng>, left: number): boolean {
  for (let y = 5; y < 45; y += 1)
    for (let x = left; x < left + 20; x += 1) if (pixels.at(x, y)[3] > 200) return true
  return false
}

/** Returns a PNG of one red pixel, in base64. */
function redPixel(): string {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64')
}

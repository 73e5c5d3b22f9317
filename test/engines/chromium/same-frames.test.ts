import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  lacksBrowser,
  openPlayer,
  particle,
  play,
  readPng,
  dryRunProblems,
  timeline,
  type FrameShot,
} from './play.ts'

describe.skipIf(lacksBrowser)('two workers and two methods', () => {
  const still = `<style>@keyframes spin { to { transform: rotate(1turn) } } .s { animation: spin 3s linear infinite }</style>
    <p id="text" style="position:absolute;left:30px;top:40px;font:700 32px sans-serif;color:#fa0;will-change:transform">Reelwright 春</p>
    <b id="box" style="position:absolute;left:200px;top:60px;width:60px;height:60px;border-radius:9px;background:linear-gradient(#f06,#06f)"></b>
    <i class="s" style="position:absolute;left:120px;top:110px;width:40px;height:40px;border:3px dashed lime;filter:blur(1px)"></i>`
  const moving = (transform: string) =>
    particle(
      still,
      timeline(
        `document.getElementById('text').style.transform = '${transform} scale(' + (0.4 + t) + ') rotate(' + t * 40 + 'deg)'
         document.getElementById('box').style.transform = 'rotate(' + t * 90 + 'deg) scale(' + (1 - t / 3) + ')'
         document.getElementById('box').style.opacity = 1 - t / 4
         document.getElementById('text').style.letterSpacing = Math.random() * 4 + 'px'`,
        3,
      ),
      { duration: 3 },
    )
  const pixels = (shots: readonly FrameShot[]) =>
    shots.map(({ frame, png }) => ({ frame, data: readPng(png).data }))
  const job = { fps: 12, frames: 36 }

  it('produce the same frames, also where one worker follows another', async () => {
    // Separate layers, as libraries create them, reveal every difference.
    const page = moving('translate3d(4px, 0, 0)')
    const alone = await play([page], { ...job, threads: 1 })
    const together = await play([page], { ...job, threads: 2 })
    expect(largestDifference(pixels(alone), pixels(together))).toBe(0)
  })

  /** Elements that browsers draw in separate layers. */
  const layered = particle(
    `<style>#layers > * { position: absolute; width: 60px; height: 60px; background: #fa0 }</style>
    <b style="position:absolute;left:100px;top:0;width:120px;height:180px;background:repeating-linear-gradient(45deg,#f06 0 8px,#06f 8px 16px)"></b>
    <div id="layers" style="perspective:400px">
      <b style="left:20px;top:15px;border-radius:12px">春</b>
      <b style="left:20px;top:100px;will-change:transform">Reel</b>
      <b style="left:130px;top:15px;background:rgb(255 255 255/.2);backdrop-filter:blur(6px)"></b>
      <b style="left:130px;top:100px;background:#0cf;mix-blend-mode:difference"></b>
      <b style="left:240px;top:15px;border:6px dashed lime"></b>
      <b style="left:240px;top:100px;background:linear-gradient(#f06,#06f)"></b>
    </div>`,
    timeline(
      `const [turned, rotated, glass, blended, blurred, moved] = document.getElementById('layers').children
       turned.style.transform = 'rotateX(' + t * 50 + 'deg) rotateY(' + t * 70 + 'deg)'
       rotated.style.transform = 'rotate(' + t * 40 + 'deg)'
       glass.style.transform = 'translateX(' + t * 9.3 + 'px) rotate(' + t * 30 + 'deg)'
       blended.style.transform = 'rotate(' + t * 77 + 'deg)'
       blurred.style.filter = 'blur(' + t * 6 + 'px) hue-rotate(' + t * 90 + 'deg)'
       moved.style.transform = 'translate3d(' + t * 10.7 + 'px, 0, 0) rotateY(' + t * 45 + 'deg)'`,
    ),
  )

  /** Layers whose edges change from frame to frame. */
  const shrinking = particle(
    `<b id="box" style="position:absolute;left:110px;top:40px;width:100px;height:100px;background:linear-gradient(#f06,#06f)"></b>
     <i id="dim" style="position:absolute;left:200px;top:60px;width:60px;height:60px;background:#fa0;will-change:transform"></i>`,
    timeline(
      `document.getElementById('box').style.transform = 'translateZ(0) rotate(' + t + 'rad) scale(' + (1 - t) + ')'
       document.getElementById('dim').style.transform = 'rotate(' + t * 90 + 'deg) scale(' + (1 - t / 3) + ')'
       document.getElementById('dim').style.opacity = 1 - t / 4`,
    ),
  )

  it('produce the same frames with both methods: of moving elements, separate and shrinking layers', async () => {
    // One after another, for a second each.
    const pages = [moving(''), layered, shrinking].map((page, start) => ({ ...page, start, duration: 1 }))
    const drawn = await play(pages, { fps: 6, frames: 18, method: 'begin-frame' })
    const shot = await play(pages, { fps: 6, frames: 18, method: 'screenshot' })
    expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBe(18)
    expect(largestDifference(pixels(drawn), pixels(shot))).toBe(0)
  })
})

describe.skipIf(lacksBrowser)('a particle cannot read real time', () => {
  let page: Awaited<ReturnType<typeof openPlayer>>
  beforeAll(async () => {
    page = await openPlayer()
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it.each([
    ['document.lastModified', 'Date.parse(document.lastModified)', 'begun'],
    ['a file', "new File([], 'a').lastModified", 'begun'],
    ['a file of a form', "form.append('a', new Blob()), form.get('a').lastModified", 'begun'],
    ['a file that has its own', "new File([], 'a', { lastModified: 7 }).lastModified", '7'],
    ['performance.timing', 'performance.timing.domLoading', 'begun'],
    ['performance as JSON', 'performance.toJSON().timeOrigin', 'begun'],
    ['all that is measured of it', 'performance.getEntries().length', '0'],
    ['how its page came', "performance.getEntriesByType('navigation').length", '0'],
    ['its address', 'performance.getEntriesByName(document.URL).length', '0'],
    ['what it measured', "performance.mark('a'), performance.getEntries().length", '1'],
    ['a mark', "performance.mark('a').startTime", 't * 1000'],
    ['a mark that is made', "new PerformanceMark('a').startTime", 't * 1000'],
    ['a mark that has its own', "performance.mark('a', { startTime: 7 }).startTime", '7'],
    ['a measure from the beginning', "performance.measure('a').duration", 't * 1000'],
    [
      'a measure from a mark',
      "performance.mark('b', { startTime: 40 }), performance.measure('a', 'b').duration",
      't * 1000 - 40',
    ],
    ['a measure from its loading', "performance.measure('a', 'domComplete').duration", 't * 1000'],
    ['a measure of its loading', "performance.measure('a', 'domLoading', 'domComplete').duration", '0'],
    ['a measure that has its own', "performance.measure('a', { start: 1, end: 7 }).duration", '6'],
    ['a measure of nothing at all', "performance.measure('a', {}).duration", 't * 1000'],
    ['a measure without ends', "isRefused(() => performance.measure('a', { duration: 5 }))", 'true'],
    ['a measure of an end too many', "isRefused(() => performance.measure('a', { start: 1 }, 'b'))", 'true'],
    ['a scheduler', "'scheduler' in window", 'false'],
    ['what can be observed of it', 'PerformanceObserver.supportedEntryTypes.length', '0'],
    ['an event', "new Event('a').timeStamp", 't * 1000'],
    ['an event that it heard before', 'early.timeStamp', '0'],
    [
      'how far something is scrolled',
      `((p) => {
         p.style.cssText = 'height:9px;overflow:auto'
         p.innerHTML = '<i style="display:block;height:109px"></i>'
         p.scrollTop = 25
         return String(new ScrollTimeline({ source: p }).currentTime)
       })(document.querySelector('p'))`,
      "'25%'",
    ],
    [
      'what scrolls smoothly',
      `((p) => {
         p.style.cssText = 'height:9px;overflow:auto'
         p.innerHTML = '<i style="display:block;height:999px"></i>'
         p.scrollTo({ top: 100, behavior: 'smooth' })
         return p.scrollTop
       })(document.querySelector('p'))`,
      '100',
    ],
  ])('%s', async (_, expression, expected) => {
    const check = `const value = (${expression}); if (value !== ${expected}) throw new Error('got ' + value)`
    const one = particle(
      '<p>x</p>',
      `const begun = Date.now(), form = new FormData(), early = new Event('a')
       const isRefused = (call) => { try { call(); return false } catch { return true } }
       void early.timeStamp
       ${timeline(`if (t === 0.5) { ${check} }`)}`,
    )
    expect(await page.problemsOf(one)).toEqual([])
  })

  it('from drawing events', async () => {
    const one = particle(
      '<b id="box">x</b>',
      `const heard = { finish: 0, seen: 0 }
       const check = (what, time) => {
         heard[what] += 1
         if (time !== performance.now()) throw new Error(what + ' reported ' + time + ', not ' + performance.now())
       }
       const short = box.animate({ opacity: [0, 1] }, 300)
       const long = box.animate({ left: ['0px', '9px'] }, 1000)
       short.onfinish = ({ timelineTime }) => check('finish', timelineTime)
       new IntersectionObserver(([{ time }]) => check('seen', time)).observe(box)
       ${timeline(`
         if (t === 0.1) long.pause()
         if (t === 0.2) long.startTime = document.timeline.currentTime
         // A seek precedes the animations of the same frame.
         if (t === 0.5 && long.currentTime !== 200) throw new Error('restarted, and is at ' + long.currentTime)
         if (short.startTime !== null) throw new Error('began at ' + short.startTime)
         if (t === 0.9 && !(heard.finish && heard.seen)) throw new Error('no events')`)}`,
    )
    expect(await dryRunProblems(one)).toEqual([])
  })
})

interface Frame {
  readonly frame: number
  readonly data: Uint8Array
}

function largestDifference(one: readonly Frame[], other: readonly Frame[]): number {
  expect(one.map(({ frame }) => frame)).toEqual(other.map(({ frame }) => frame))
  let largest = 0
  for (const [index, { data }] of one.entries()) {
    const against = other[index]?.data ?? new Uint8Array()
    if (Buffer.compare(data, against) === 0) continue
    for (let at = 0; at < data.length; at += 1) {
      largest = Math.max(largest, Math.abs((data[at] ?? 0) - (against[at] ?? 0)))
    }
  }
  return largest
}

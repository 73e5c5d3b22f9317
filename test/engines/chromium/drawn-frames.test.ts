import { describe, expect, it } from 'vitest'
import { preferredCaptureMethod } from '../../../src/engines/chromium/capture.ts'
import type { CaptureMethod } from '../../../src/engines/chromium/painter.ts'
import { lazy } from '../../../src/platform/cache.ts'
import { lacksBrowser, particle, play, readPng, timeline } from './play.ts'

const fps = 24
/** Two workers alternate after 24 frames: the first one captures the last frames after it skipped 24. */
const most = 50
/** Small, because only the colour of each row matters. */
const rowHeight = 4
const canvas = { width: 64, height: 100 }
const every = Array.from({ length: most }, (_, frame) => frame)
const third = every.filter((frame) => frame % 5 === 3)
const second = every.filter((frame) => frame % 7 === 2)

/** Scripts that act on the area of a row, and the frames on which their listeners are called. */
const rows = [
  { what: 'a listener', script: `area.addEventListener('scroll', hear); third(scroll)`, heard: third },
  { what: 'a property', script: `area.onscroll = hear; third(scroll)`, heard: third },
  {
    what: 'an attribute',
    script: `window.hear = hear
      area.innerHTML = '<p class="area" onscroll="hear()"><i></i></p>'
      third((frame) => (area.firstChild.scrollTop = frame))`,
    heard: third,
  },
  {
    what: 'a listener of the window',
    script: `addEventListener('scroll', ({ target }) => target === area && hear(), true); third(scroll)`,
    heard: third,
  },
  { what: 'the end of scrolling', script: `area.onscrollend = hear; third(scroll)`, heard: third },
  { what: 'the window size, which never changes', script: `addEventListener('resize', hear)`, heard: [] },
  {
    what: 'media queries, which never change',
    script: `matchMedia('(min-width: 100px)').onchange = hear`,
    heard: [],
  },
  {
    what: 'observers that create each other',
    script: `const see = (left) => left && new IntersectionObserver((_, seeing) => {
        seeing.disconnect()
        hear()
        see(left - 1)
      }).observe(area)
      second(() => see(3))`,
    heard: second.flatMap((frame) => [frame, frame, frame]),
  },
  {
    what: 'a resize observer that resizes an ancestor',
    script: `let height = 9
      new ResizeObserver(hear).observe(area)
      new ResizeObserver(([{ target }]) => (area.style.height = target.offsetHeight / 9 + 'px')).observe(area.firstChild)
      second((frame) => (area.firstChild.style.height = 90 + 9 * frame + 'px'))`,
    heard: [0, 0, ...second],
  },
  {
    what: 'a chain of intersection, scrolling and resizing',
    script: `area.onscroll = () => { hear(); area.style.width = 20 + area.scrollTop % 2 + 'px' }
      new ResizeObserver(hear).observe(area)
      second(() => new IntersectionObserver((_, seeing) => {
        seeing.disconnect()
        hear()
        area.scrollTop += 1
      }).observe(area))`,
    heard: [0, ...second.flatMap((frame) => [frame, frame, frame])],
  },
  {
    what: 'paused animations finished by script, one after another',
    script: `const end = (left) => {
        const paused = area.animate({ opacity: [0, 0] }, 1000)
        paused.pause()
        paused.onfinish = () => { hear(); if (left) end(left - 1) }
        paused.finish()
      }
      second(() => end(5))`,
    heard: second.flatMap((frame) => Array.from({ length: 6 }, () => frame)),
  },
  {
    what: 'a CSS animation cancelled by removing its element',
    script: `third(() => {
        const gone = document.createElement('b')
        gone.style.cssText = 'animation: dim 1s paused'
        gone.addEventListener('animationcancel', hear)
        area.append(gone)
        void getComputedStyle(gone).opacity
        fourth.push(() => gone.remove())
      })
      const fourth = []
      seeks.push((frame) => frame % 5 === 4 && fourth.pop()?.())`,
    heard: third.map((frame) => frame + 1),
  },
  {
    what: 'an animation that is ready',
    script: `third(() => {
        const paused = area.animate({ opacity: [0, 0] }, 1000)
        paused.pause()
        paused.ready.then(hear)
      })`,
    heard: third,
  },
  {
    what: 'a dialog that closes',
    script: `const dialog = document.createElement('dialog')
      area.append(dialog)
      dialog.onclose = hear
      third(() => { dialog.show(); dialog.close() })`,
    heard: third,
  },
  {
    what: 'scrolling after the end of an animation and a fetch',
    script: `area.onscroll = hear
      area.animate({ opacity: [0, 0] }, 1000).finished.then(async () => {
        await fetch('data:,x')
        scroll(7)
      })`,
    heard: [24],
  },
]

/** The same for styles that depend on the previous draw. */
const styledRows = [
  {
    what: 'content-visibility of an element that leaves the viewport',
    script: `area.style.overflow = 'visible'
      area.innerHTML = '<p style="position:absolute;content-visibility:auto;width:9px;height:9px"></p>'
      area.firstChild.oncontentvisibilityautostatechange = () => performance.now() > 0 && hear()
      third((frame) => (area.firstChild.style.top = frame % 2 ? '2000px' : '0'))`,
    heard: third,
  },
  {
    what: 'a scroll-driven animation, measured on the next frame',
    script: `area.style.scrollTimeline = '--scrolled'
      area.firstChild.style.cssText = 'animation: move linear; animation-timeline: --scrolled'
      let left
      seeks.push((frame) => {
        const now = getComputedStyle(area.firstChild).left
        if (frame > 0 && now !== left) hear()
        left = now
      })
      third(scroll)`,
    heard: third.map((frame) => frame + 1),
  },
]

/** Returns the red value of a row on each frame; each call adds the number of its frame plus 1. */
function reds(heard: readonly number[]): number[] {
  return every.map(
    (frame) => heard.filter((one) => one <= frame).reduce((sum, one) => sum + one + 1, 0) % 256,
  )
}

const body = `<style>
    @keyframes dim { to { opacity: 0 } }
    @keyframes move { from { left: 0 } to { left: 900px } }
    .area { position: absolute; left: 9px; width: 20px; height: 9px; margin: 0; overflow: auto; opacity: 0 }
    .area > i { display: block; height: 900px }
    .box { position: absolute; width: 9px; height: ${rowHeight}px; background: #000 }
  </style>`

const script = `const seeks = []
  const at = (is) => (call) => seeks.push((frame) => is(frame) && call(frame))
  const third = at((frame) => frame % 5 === 3), second = at((frame) => frame % 7 === 2)
  ${timeline(`for (const seek of seeks) seek(Math.round(t * ${fps}))`, 3)}`

/** Returns the particle of these rows, visible for `frames` frames from frame `first`. */
function particleOf(tested: typeof rows, { first, frames }: { first: number; frames: number }) {
  const places = tested.map((_, row) => `style="top:${row * rowHeight}px"`)
  const elements = places.map((top) => `<b class="box" ${top}></b><p class="area" ${top}><i></i></p>`)
  const scripts = tested.map(
    ({ script: own }, row) => `{
      const box = document.querySelectorAll('.box')[${row}], area = box.nextElementSibling
      let red = 0
      const hear = () => {
        red += Math.round(performance.now() * ${fps / 1000}) + 1
        box.style.background = 'rgb(' + (red % 256) + ' 0 0)'
      }
      const scroll = (top) => (area.scrollTop = top)
      ${own}
    }`,
  )
  const times = { start: first / fps, duration: frames / fps }
  return particle(body + elements.join(''), [script, ...scripts].join('\n'), { ...times, ...canvas })
}

/**
 * Captures particles of rows, one after another, with two workers. Returns the red value of each row on each of `frames`
 * frames, by particle.
 */
async function redsShown(
  tested: readonly (typeof rows)[],
  { method, frames }: { readonly method: CaptureMethod; readonly frames: number },
): Promise<(string | number)[][][]> {
  const pages = tested.map((group, index) => particleOf(group, { first: index * frames, frames }))
  const shots = await play(pages, { method, fps, frames: frames * pages.length, threads: 2, ...canvas })
  const pictures = shots.flatMap(({ count, png }) => Array.from({ length: count }, () => readPng(png)))
  return tested.map((group, index) =>
    group.map(({ what }, row) => [
      what,
      ...pictures
        .slice(index * frames, (index + 1) * frames)
        .map((picture) => picture.at(4, row * rowHeight + 2)[0]),
    ]),
  )
}

/** A worker that draws later frames has usually skipped these: their events must not arrive when it draws again. */
const lateRows = [
  { what: 'scrolled', begins: '', does: 'scroll(9)', listens: `area.addEventListener('scroll', hear)` },
  {
    what: 'ended',
    begins: '',
    does: '(ended = area.animate({ opacity: [0, 0] }, 1000)).pause(); ended.finish()',
    listens: 'ended.onfinish = hear',
  },
  ...['paused', 'running'].map((state) => ({
    what: `${state} when its element was taken away`,
    begins: `(ended = area).style.animation = 'dim 9s ${state}'`,
    does: 'area.remove()',
    listens: `ended.addEventListener('animationcancel', hear)`,
  })),
].map(({ what, begins, does, listens }) => ({
  ...{ what, heard: [] },
  script: `let ended
      at((frame) => frame === 10)(() => { ${begins} })
      at((frame) => frame === 30)(() => { ${does} })
      at((frame) => frame === 40)(() => { ${listens} })`,
}))

describe.skipIf(lacksBrowser)('drawing events arrive in their frame, whichever worker captures it', () => {
  it.each([
    { method: 'begin-frame', frames: 50 },
    { method: 'screenshot', frames: 26 },
  ] as const)('by $method', async (job) => {
    const [shown] = await redsShown([rows], job)
    expect(shown).toEqual(rows.map(({ what, heard }) => [what, ...reds(heard).slice(0, job.frames)]))
  })

  // A particle for each late row, as listeners of one row would cause draws for others.
  const groups = [...lateRows.map((row) => [row]), styledRows]
  const groupsShown = lazy(() => redsShown(groups, { method: preferredCaptureMethod(), frames: most }))

  it('and are not delivered to listeners added later', async () => {
    const shown = (await groupsShown()).slice(0, lateRows.length)
    expect(shown).toEqual(lateRows.map(({ what, heard }) => [[what, ...reds(heard)]]))
  })

  it('also for styles that depend on the previous draw', async () => {
    const shown = (await groupsShown()).at(-1)
    expect(shown).toEqual(styledRows.map(({ what, heard }) => [what, ...reds(heard)]))
  })
})

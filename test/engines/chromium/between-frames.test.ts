import { describe, expect, it } from 'vitest'
import type { CaptureFramesOptions } from '../../../src/engines/chromium/capture.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { lacksBrowser, particle, play, readPng, timeline, wholeBrowser, lacksWholeBrowser } from './play.ts'

const fps = 10
const frames = soakSize(20, 30)

/** Effects of timers that are due between frames; each row has its own area and box. */
const rows = [
  {
    what: 'scrolling',
    script: `area.onscroll = () => hear(1)
      setInterval(() => (area.scrollTop = area.scrollTop ? 0 : 9), 37)`,
  },
  {
    what: 'scrolling after a fetch',
    script: `area.onscroll = () => hear(1)
      setInterval(async () => {
        area.scrollTop += 1
        await fetch('data:,x')
        hear(2)
        area.scrollTop += 1
      }, 41)`,
  },
  {
    what: 'scrolling that starts a fetch and more scrolling',
    script: `area.onscroll = async () => {
        hear(1)
        await (await fetch('data:,x')).text()
        hear(2)
        if (area.scrollTop % 3) area.scrollTop += 1
      }
      setInterval(() => (area.scrollTop = (area.scrollTop + 7) % 800), 53)`,
  },
  {
    what: 'resize and intersection observers',
    script: `new ResizeObserver(() => hear(1)).observe(area)
      new IntersectionObserver(([{ isIntersecting }]) => hear(isIntersecting ? 2 : 3)).observe(area.firstChild)
      setInterval(() => (area.style.height = 9 + performance.now() % 7 + 'px'), 29)
      setInterval(() => (area.firstChild.style.marginTop = performance.now() % 2 ? '400px' : 0), 61)`,
  },
  {
    what: 'animations and focus',
    script: `setInterval(() => {
        const end = area.animate({ opacity: [0, 1] }, 50)
        end.ready.then(() => hear(1))
        end.onfinish = () => hear(2)
      }, 67)
      area.addEventListener('focus', () => hear(3))
      setInterval(() => { area.blur(); area.focus() }, 71)`,
  },
]

const rowHeight = 20
const canvas = { width: 80, height: rows.length * rowHeight }

/** Colours the box of each row by a checksum of the times and kinds of its events. */
const scripts = rows.map(
  ({ script }, row) => `{
    const area = document.querySelectorAll('.area')[${row}], box = area.previousElementSibling
    let sum = 0
    const hear = (what) => {
      sum = (sum * 31 + Math.round(performance.now()) * 7 + what) % 16777213
      box.style.background = '#' + sum.toString(16).padStart(6, '0')
    }
    ${script}
  }`,
)

const page = particle(
  `<style>
    .box { position: absolute; width: 20px; height: ${rowHeight}px }
    .area { position: absolute; left: 30px; width: 40px; height: 16px; margin: 0; overflow: auto }
    .area > i { display: block; height: 900px }
  </style>${rows
    .map((_, row) => `style="top:${row * rowHeight}px"`)
    .map((top) => `<b class="box" ${top}></b><p class="area" tabindex="0" ${top}><i></i></p>`)
    .join('')}`,
  [timeline('', 3), ...scripts].join('\n'),
  { duration: 3, ...canvas },
)

/** Returns the colour of each row's box on every frame. */
async function coloursBy(
  job: Pick<CaptureFramesOptions, 'method' | 'threads' | 'program'>,
): Promise<string[][]> {
  const shots = await play([page], { ...job, fps, frames, ...canvas })
  const pictures = shots.flatMap(({ count, png }) => Array.from({ length: count }, () => readPng(png)))
  return rows.map(({ what }, row) => [
    what,
    ...pictures.map((picture) => picture.at(9, row * rowHeight + 9).join(' ')),
  ])
}

describe.skipIf(lacksBrowser)(
  'events caused by timers between two frames arrive with the later frame',
  () => {
    const fullBrowser = { method: 'screenshot', threads: 2, program: wholeBrowser ?? 'chromium' } as const
    let byOneWorker: Promise<string[][]> | undefined
    const expected = () => (byOneWorker ??= coloursBy({ method: 'begin-frame', threads: 1 }))

    it('with both methods, whichever worker captures it, and in a full browser, if there is one', async () => {
      const shown = await expected()
      for (const colours of shown) expect(new Set(colours).size).toBeGreaterThan(frames / 3)
      const others = [
        { method: 'screenshot', threads: 2 } as const,
        { method: 'screenshot', threads: 1 } as const,
        { method: 'begin-frame', threads: 2 } as const,
      ]
      const all = lacksWholeBrowser ? others : [fullBrowser, ...others]
      for (const job of sampleCases(all, 1)) expect(await coloursBy(job), JSON.stringify(job)).toEqual(shown)
    })
  },
)

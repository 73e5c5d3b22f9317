import { describe, expect, it } from 'vitest'
import type { ParticleProblem } from '../../../src/engines/chromium/particle.ts'
import { lazy } from '../../../src/platform/cache.ts'
import { lacksBrowser, particle, play, readPng, size, type Pixels } from './play.ts'

const rowHeight = 15

/** Styles and scripts that move the box of a row, and the left edge (px) of the box at rest. */
const rows: readonly { what: string; style?: string; script?: string; left: number }[] = [
  { what: 'a still box', style: 'left: 40px', left: 40 },
  { what: 'a delayed CSS animation', style: 'animation: go 2s 5s forwards', left: 100 },
  { what: 'a CSS animation that keeps nothing', style: 'animation: go 2s', left: 0 },
  { what: 'an endless CSS animation', style: 'animation: go 2s infinite', left: 100 },
  {
    what: 'an endless alternating CSS animation',
    style: 'animation: go 2s 1s infinite alternate',
    left: 100,
  },
  { what: 'a reversed CSS animation', style: 'animation: go 2s reverse both', left: 0 },
  { what: 'a paused CSS animation', style: 'animation: go 2s paused', left: 0 },
  {
    what: 'a transition',
    style: 'transition: left 3s',
    script: 'box.getBoundingClientRect(); box.style.left = "60px"',
    left: 60,
  },
  { what: 'a script animation', script: 'box.animate(go, { duration: 900, fill: "forwards" })', left: 100 },
  {
    what: 'an endless script animation',
    script: 'box.animate(go, { duration: 900, iterations: Infinity })',
    left: 100,
  },
  { what: 'a script animation without end', script: 'box.animate(go, { duration: Infinity })', left: 0 },
  {
    what: 'a chain of animations',
    script: `box.animate(go, { duration: 900, fill: 'forwards' }).onfinish = () =>
      box.animate({ left: ['100px', '150px'] }, { duration: 900, fill: 'forwards' })`,
    left: 150,
  },
]

const svg = (animate: string) =>
  `<svg width="320" height="${rowHeight}" style="display:block"><rect width="10" height="${rowHeight}">${animate}</rect></svg>`
const svgRows = [
  { animate: '<animate attributeName="x" from="0" to="70" begin="1s" dur="2s" fill="freeze"/>', left: 70 },
  { animate: '<animate attributeName="x" from="0" to="70" dur="2s"/>', left: 0 },
  { animate: '<animate attributeName="x" from="0" to="70" dur="2s" repeatCount="indefinite"/>', left: 70 },
  { animate: '<set attributeName="x" to="30" begin="4s"/>', left: 30 },
]

const body = `<style>@keyframes go { from { left: 0 } to { left: 100px } }
b { position: absolute; left: 0; width: 10px; height: 15px; background: #06f }
section { position: absolute; top: ${rows.length * rowHeight}px }</style>
${rows.map(({ style = '' }, row) => `<b style="top:${row * rowHeight}px;${style}"></b>`).join('')}
<section>${svgRows.map(({ animate }) => svg(animate)).join('')}</section>`

const script = `const boxes = document.querySelectorAll('b'), go = { left: ['0px', '100px'] }
${rows.map(({ script: moves = '' }, row) => `{ const box = boxes[${row}]; ${moves} }`).join('\n')}`

const tall = { width: size.width, height: rowHeight * (rows.length + svgRows.length) }

const endless = particle(
  '<b style="position:absolute;inset:0;background:red"></b>',
  `const again = () => (document.querySelector('b').animate({ opacity: [1, 1] }, 100).onfinish = again)
again()`,
  { name: 'endless', start: 0.6, duration: 0.3, ...tall },
)

describe.skipIf(lacksBrowser).each(['begin-frame', 'screenshot'] as const)('by %s', (method) => {
  /** Frames of both particles, one after another, and their warnings. */
  const played = lazy(async () => {
    const warnings: string[] = []
    const onWarning = ({ message }: ParticleProblem, name: string) =>
      void warnings.push(`${name}: ${message}`)
    const page = particle(body, script, { duration: 0.6, ...tall })
    const shots = await play([page, endless], { method, ...tall, frames: 9, onWarning })
    return { shots, warnings: warnings.filter((warning) => !warning.startsWith('endless:')) }
  })

  it('a particle without a timeline shows every animation at its end, on every frame', async () => {
    const { shots: all, warnings } = await played()
    const shots = all.filter(({ frame }) => frame < 6)
    const leftEdge = (picture: Pixels, row: number) =>
      Array.from({ length: size.width }, (_, x) => picture.at(x, row * rowHeight + 7)[3]).indexOf(255)
    const expected = [...rows.map(({ left }) => left), ...svgRows.map(({ left }) => left)]
    for (const { png } of shots) {
      const picture = readPng(png)
      expect(expected.map((_, row) => leftEdge(picture, row))).toEqual(expected)
    }
    // A picture at rest is captured only until nothing is about to change.
    expect(shots.reduce((sum, { count }) => sum + count, 0)).toBe(6)
    expect(shots.length).toBeLessThanOrEqual(3)
    expect(warnings).toEqual([expect.stringMatching(/^title: no timeline is registered.*"test"/)])
  })

  it('animations that start each other forever do not prevent rendering', async () => {
    const shots = (await played()).shots.filter(({ frame }) => frame >= 6)
    expect(shots.map(({ png }) => readPng(png).at(5, 5))).toEqual(shots.map(() => [255, 0, 0, 255]))
  })
})

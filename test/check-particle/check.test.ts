import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkParticle } from '../../tools/check-particle/contract.ts'
import { run } from '../../tools/check-particle/run.ts'
import { htmlParticle, particleFile } from '../html-render-simple/render.ts'
import { createTestContext, stageFiles } from '../tasks/run-in-worker.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { rgb } from '../video-split-screen/media.ts'
import { sampleCases } from '../soak-size.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Plays a particle, for six frames unless the input differs. */
async function check(input: Readonly<Record<string, unknown>>, paths: readonly string[] = []) {
  const { context, results } = createTestContext(
    await stageFiles(paths),
    await mkdtemp(join(folder.path, 'run-')),
  )
  const output = await run(checkParticle.input.parse({ duration: 0.2, ...input }), context)
  const reports = output.problems.map(
    ({ severity, line, message }) => `${severity} ${line ?? '-'} ${message}`,
  )
  return { output: checkParticle.output.parse(output), reports, results }
}

/** Returns the share of blue pixels in each of the twelve moments of a sheet. */
async function blueShares(path: string): Promise<number[]> {
  const pixels = await rgb(path)
  const width = (await readFile(path)).readUInt32BE(16)
  const isBlue = (x: number, y: number) => {
    const at = (y * width + x) * 3
    return (pixels[at + 2] ?? 0) > 240 && (pixels[at] ?? 255) < 20
  }
  // Twelve moments in four columns.
  const cell = (index: number) => ({ x: 20 + (index % 4) * 313, y: 60 + Math.floor(index / 4) * 205 })
  return Array.from({ length: 12 }, (_, index) => {
    const { x, y } = cell(index)
    return Array.from({ length: 299 }, (__, column) => isBlue(x + column, y)).filter(Boolean).length / 299
  })
}

const text = '<p style="font-size: 60px; color: #fff">text</p>'

describe('a valid particle', () => {
  const twoSeconds = { duration: 2, video_size: { width: 640, height: 360 } }

  it('is drawn at moments of its duration, over a checkerboard, at the requested size', async () => {
    const moving = htmlParticle(
      { width: 480, height: 270, duration: 2 },
      '<b style="position: absolute; inset: 0; background: rgb(0 0 255)"></b>',
      'document.querySelector("b").style.right = `${100 - 50 * t}%`',
    )
    const { output, results } = await check({ html: moving, ...twoSeconds })
    expect(output).toMatchObject({
      ok: true,
      problems: [],
      composition_id: 'test',
      width: 480,
      height: 270,
      file_id: '1',
    })
    const [sheet] = results
    expect(sheet?.name).toBe('particle-test.png')
    const shares = await blueShares(sheet?.path ?? '')
    for (const [index, share] of shares.entries()) expect(share).toBeCloseTo((index + 0.5) / 12, 1)
  })

  it('is drawn correctly if only some of its moments are opaque', async () => {
    const opaque = htmlParticle(
      { duration: 2 },
      '<b style="position: absolute; inset: 0; background: rgb(0 0 255)"></b>',
      'document.querySelector("b").style.right = Math.floor(t * 6) % 2 ? "0" : "50%"',
    )
    const { results } = await check({ html: opaque, ...twoSeconds })
    const shares = await blueShares(results[0]?.path ?? '')
    for (const [index, share] of shares.entries()) expect(share).toBeCloseTo(index % 2 ? 1 : 0.5, 1)
  })

  it('in a file passes if it draws for a moment only, and gets a warning if it never draws', async () => {
    const flash = htmlParticle({}, text, 'document.querySelector("p").hidden = Math.abs(t - 0.4) > 0.05')
    const passed = { reports: [], output: { ok: true, file_id: '1' } }
    const path = await particleFile(join(folder.path, 'title.html'), flash)
    expect(await check({ file_id: path.slice(-64), duration: 1 }, [path])).toMatchObject(passed)
    const never = htmlParticle({}, text, 'document.querySelector("p").hidden = true')
    const { output, reports } = await check({ html: never })
    expect(reports).toEqual(['warning - draws nothing'])
    expect(output).toMatchObject({ ok: true, file_id: '1' })
  })
})

describe('warnings do not prevent rendering', () => {
  const box = (style: string) => `<b style="position: absolute; inset: 0; background: #fff; ${style}">x</b>`

  it('a particle without a timeline gets the code that registers one under its own id', async () => {
    const still = `<template data-composition-id="t" data-width="320" data-height="180">${text}</template>`
    const named = htmlParticle({}, text).replace('__timelines', 'not__timelines')
    const particles = [[still, 't'] as const, [named, 'test'] as const]
    for (const [html, id] of sampleCases(particles, 1)) {
      const { output, reports } = await check({ html })
      expect(output).toMatchObject({ ok: true, file_id: '1' })
      expect(reports).toEqual([
        expect.stringMatching(/^warning - no timeline is registered, .*at rest.*window\.__timelines = /),
      ])
      expect(reports[0]).toContain(`{ "${id}": { duration: () => 5, seek: `)
    }
  })

  it('a canvas of another shape than the video is reported with what is cropped, and names that may be images of a composition with their lines', async () => {
    const html = htmlParticle(
      { width: 480, height: 270 },
      `${box('')}<img src="logo">\n<p style="background: url('my photo.jpg')"></p>\n<svg><image href="c"/></svg>`,
    )
    const { output, reports } = await check({ html, video_size: { width: 270, height: 480 } })
    expect(output.ok).toBe(true)
    expect(reports).toEqual([
      'warning - the canvas of 480 x 270 is scaled to cover 270 x 480, which crops 68 % of its width; ' +
        'set data-width to 270 and data-height to 480',
      expect.stringMatching(
        /^warning 2 <img src="logo"> is external; its picture is missing here; a render shows it/,
      ),
      expect.stringMatching(/^warning 3 the style loads my photo\.jpg; its picture is missing/),
      expect.stringMatching(/^warning 4 <image href="c"> is external; its picture is missing/),
    ])
  })

  /** Places contents side by side, each on a line of its own, so that none is above another. */
  const sideBySide = (contents: readonly string[]) =>
    contents
      .map((inside, index) => {
        const place = `left: ${index * 40}px; top: 90px; width: 40px; height: 60px`
        return `<div style="position: absolute; ${place}">${inside}</div>`
      })
      .join('\n')

  // Each has a style of its own, because equal ones of equal elements are reported once.
  it.each<[string, readonly (readonly [style: string, inside: string])[]]>([
    [
      'blend modes',
      [
        ['mix-blend-mode: screen', box('mix-blend-mode: screen')],
        [
          'mix-blend-mode: multiply',
          `<div style="position: absolute; inset: 0">${box('mix-blend-mode: multiply')}</div>`,
        ],
        [
          'mix-blend-mode: overlay',
          '<style>u::before { content: "x"; mix-blend-mode: overlay }</style><u>x</u>',
        ],
        ['mix-blend-mode: darken', box('opacity: 0.5') + box('mix-blend-mode: darken')],
      ],
    ],
    [
      'filters, and the blend mode of an SVG element',
      [
        ['backdrop-filter: blur(4px)', box('backdrop-filter: blur(4px)')],
        // In a stacking context.
        [
          'backdrop-filter: blur(5px)',
          `<div style="isolation: isolate">${box('backdrop-filter: blur(5px)')}</div>`,
        ],
        [
          'mix-blend-mode: lighten',
          '<svg style="position: absolute; top: 0"><rect width="9" height="9" style="mix-blend-mode: lighten"/></svg>',
        ],
      ],
    ],
  ])('%s that would need the video below are reported with their lines', async (_, contents) => {
    const html = htmlParticle({}, `${text}\n${sideBySide(contents.map(([, inside]) => inside))}`)
    const { output, reports } = await check({ html })
    expect(output.ok).toBe(true)
    const shortened = reports.map((report) => /^(.*) of <\w+> does not see the video below/.exec(report)?.[1])
    expect(shortened).toEqual(contents.map(([style], index) => `warning ${index + 3} ${style}`))
  })

  it('every such element is reported once, also one that begins later, or if the style of another one changes on every frame', async () => {
    const inside = `<u>x</u><i style="mix-blend-mode: screen">x</i><section style="opacity: 0">${box('mix-blend-mode: screen')}</section>`
    const moves = `document.querySelector('i').style.left = t + 'px'
      document.querySelector('section').style.opacity = t > 0.9 ? 1 : 0
      document.querySelector('u').style.mixBlendMode = t > 0.5 ? 'multiply' : 'normal'`
    const { reports } = await check({ html: htmlParticle({}, inside, moves), duration: 1 })
    expect(reports).toEqual([
      expect.stringMatching(/^warning 2 mix-blend-mode: screen of <i>/),
      expect.stringMatching(/^warning 2 mix-blend-mode: screen of <b>/),
      expect.stringMatching(/^warning \d mix-blend-mode: multiply of <u>/),
    ])
  })

  it('blend modes and filters that are complete without the video below are not reported', async () => {
    const contents = [
      // In an isolated group and in a faded one.
      `<div style="isolation: isolate">${box('mix-blend-mode: screen')}</div>`,
      `<div style="opacity: 0.9">${box('mix-blend-mode: screen')}</div>`,
      // In a group with a filter.
      `<div style="filter: blur(1px)">${box('backdrop-filter: blur(4px)')}</div>`,
      box('background-blend-mode: multiply'),
      box('mix-blend-mode: normal; backdrop-filter: none'),
      // Over an opaque area. Last, so that the area is above none of the others.
      box('') + box('mix-blend-mode: multiply; color: red'),
    ]
    const html = htmlParticle({}, `${text}\n${sideBySide(contents)}`)
    expect((await check({ html })).reports).toEqual([])
  })
})

describe('problems that prevent rendering are reported together, with their lines', () => {
  const unplayable: readonly (readonly [string, string, RegExp])[] = [
    ['an endless timeline', htmlParticle({ duration: Infinity }, text), /endless/],
    [
      'a timeline that cannot seek',
      htmlParticle({}, text).replace('seek(t)', 'play(t)'),
      /neither totalTime nor seek/,
    ],
    ['ten thousand elements', htmlParticle({}, text + '<i></i>'.repeat(10_000)), /5000/],
    [
      'an error on one frame',
      htmlParticle({}, text, 'if (Math.round(t * 30) === 4) missing()'),
      /missing is not defined/,
    ],
  ]

  // All problems found by playing become errors in the same way.
  it.each(sampleCases(unplayable))('reports %s', async (_, html, expected) => {
    const { output, reports, results } = await check({ html })
    expect(output.ok).toBe(false)
    expect(reports.join('\n')).toMatch(expected)
    expect(results).toEqual([])
  })

  it('reports a request, a web socket, a peer and a worker', async () => {
    const attempts = [
      [`fetch('https://one.example/')`, /^error - requests .*one\.example/],
      [`new WebSocket('wss://two.example/')`, /^error 4 .*two\.example/],
      ['new RTCPeerConnection()', /^error .*RTCPeerConnection/],
      [`new Worker(URL.createObjectURL(new Blob([''])))`, /^error 6 .*worker/],
    ] as const
    const scripts = attempts.map(([script]) => `\n<script>${script}</script>`)
    const { output, reports, results } = await check({ html: htmlParticle({}, text + scripts.join('')) })
    expect(output.ok).toBe(false)
    for (const [, expected] of attempts) expect(reports).toContainEqual(expect.stringMatching(expected))
    expect(results).toEqual([])
  })

  it('problems of reading and of playing are reported together', async () => {
    const html = htmlParticle({}, `${text}<img src="/logo.png">\n<script>\n\nnothing.at.all</script>`)
    const { reports, output } = await check({ html })
    expect(reports.join('\n')).toMatch(/error 2 <img src="\/logo\.png"> is external/)
    expect(reports.join('\n')).toMatch(/error 5 .*nothing is not defined/)
    expect(output).toMatchObject({ ok: false, composition_id: 'test', width: 320, height: 180 })
  })

  it('a problem found by both reading and playing is reported once', async () => {
    const style = '<style>\np {\nbackground: url(https://example.com) }</style>'
    const image = '<img\n src="https://example.com/logo.png">'
    const { reports } = await check({ html: htmlParticle({}, `${style}${text}\n${image}\n<b>x</b>`) })
    expect(reports).toEqual([
      expect.stringMatching(/^error 4 the style loads https:\/\/example\.com;/),
      expect.stringMatching(/^error 6 <img src="https:\/\/example\.com\/logo\.png"> is external/),
    ])
  })

  it('a source that is not a particle', async () => {
    const { output } = await check({ html: '<p>text</p>' })
    expect(output).toEqual({
      ok: false,
      problems: [{ severity: 'error', message: expect.stringMatching(/no <template>/) as string }],
    })
  })
})

import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkParticle } from '../../tools/check-particle/contract.ts'
import { run } from '../../tools/check-particle/run.ts'
import { htmlParticle, particleFile } from '../html-render-simple/render.ts'
import { createTestContext, stageFiles } from '../tasks/run-in-worker.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { rgb } from '../video-split-screen/media.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

async function check(input: Readonly<Record<string, unknown>>, paths: readonly string[] = []) {
  const { context, results } = createTestContext(
    await stageFiles(paths),
    await mkdtemp(join(folder.path, 'run-')),
  )
  const output = await run(checkParticle.input.parse({ duration: 1, ...input }), context)
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
  it('is drawn at moments of its duration, over a checkerboard, at the requested size', async () => {
    const moving = htmlParticle(
      { duration: 2 },
      '<b style="position: absolute; inset: 0; background: rgb(0 0 255)"></b>',
      'document.querySelector("b").style.right = `${100 - 50 * t}%`',
    )
    const { output, results } = await check({
      html: moving,
      duration: 2,
      video_size: { width: 640, height: 360 },
    })
    expect(output).toMatchObject({
      ok: true,
      problems: [],
      composition_id: 'test',
      width: 320,
      height: 180,
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
    const { results } = await check({
      html: opaque,
      duration: 2,
      video_size: { width: 640, height: 360 },
    })
    const shares = await blueShares(results[0]?.path ?? '')
    for (const [index, share] of shares.entries()) expect(share).toBeCloseTo(index % 2 ? 1 : 0.5, 1)
  })

  it('passes if it draws for a moment only, and gets a warning if it never draws', async () => {
    const flash = htmlParticle({}, text, 'document.querySelector("p").hidden = Math.abs(t - 0.4) > 0.05')
    expect(await check({ html: flash })).toMatchObject({ reports: [], output: { ok: true, file_id: '1' } })
    const never = htmlParticle({}, text, 'document.querySelector("p").hidden = true')
    const { output, reports } = await check({ html: never })
    expect(reports).toEqual(['warning - draws nothing'])
    expect(output).toMatchObject({ ok: true, file_id: '1' })
  })

  it('can be a file', async () => {
    const path = await particleFile(join(folder.path, 'title.html'), htmlParticle({}, text))
    const { output } = await check({ file_id: path.slice(-64) }, [path])
    expect(output.ok).toBe(true)
  })
})

describe('problems that prevent rendering are reported together, with their lines', () => {
  it.each<[string, string, RegExp]>([
    ['an endless timeline', htmlParticle({ duration: Infinity }, text), /endless/],
    [
      'a timeline that cannot seek',
      htmlParticle({}, text).replace('seek(t)', 'play(t)'),
      /neither totalTime nor seek/,
    ],
    [
      'a script error',
      htmlParticle({}, `${text}\n<script>\n\nnothing.at.all</script>`),
      /error 5 .*nothing is not defined/,
    ],
    [
      'an error on one frame',
      htmlParticle({}, text, 'if (Math.round(t * 30) === 17) missing()'),
      /missing is not defined/,
    ],
    ['a request', htmlParticle({}, `${text}<script>fetch('https://example.com/')</script>`), /example\.com/],
    [
      'a web socket',
      htmlParticle({}, `${text}<script>new WebSocket('wss://example.com/')</script>`),
      /WebSocket|example\.com/,
    ],
    ['a peer', htmlParticle({}, `${text}<script>new RTCPeerConnection()</script>`), /RTCPeerConnection/],
    [
      'a worker',
      htmlParticle({}, `${text}<script>new Worker(URL.createObjectURL(new Blob([''])))</script>`),
      /[Ww]orker/,
    ],
    ['ten thousand elements', htmlParticle({}, text + '<i></i>'.repeat(10_000)), /5000/],
    [
      'a timeline of its own name only',
      htmlParticle({}, text).replace('__timelines', 'not__timelines'),
      /timeline/,
    ],
  ])('reports %s', async (_, html, expected) => {
    const { output, reports, results } = await check({ html })
    expect(output.ok).toBe(false)
    expect(reports.join('\n')).toMatch(expected)
    expect(results).toEqual([])
  })

  it('problems of reading and of playing are reported together', async () => {
    const html = htmlParticle({}, `${text}<img src="logo.png">\n<script>nothing.at.all</script>`)
    const { reports, output } = await check({ html })
    expect(reports.join('\n')).toMatch(/error 2 <img src="logo\.png"> is external/)
    expect(reports.join('\n')).toMatch(/error 3 .*nothing is not defined/)
    expect(output).toMatchObject({ composition_id: 'test', width: 320, height: 180 })
  })

  it('a problem found by both reading and playing is reported once', async () => {
    const outside = htmlParticle({}, `${text}\n<img\n src="https://example.com/logo.png">\n<b>x</b>`)
    expect((await check({ html: outside })).reports).toEqual([
      expect.stringMatching(/^error 4 <img src="https:\/\/example\.com\/logo\.png"> is external/),
    ])
    const styled = htmlParticle({}, `<style>\np {\nbackground: url(https://example.com) }</style>${text}`)
    expect((await check({ html: styled })).reports).toEqual([
      expect.stringMatching(/^error 4 the style loads https:\/\/example\.com;/),
    ])
    const stillParticle =
      '<template data-composition-id="test" data-width="320" data-height="180"><p>x</p></template>'
    expect((await check({ html: stillParticle })).reports).toEqual([
      expect.stringMatching(/^error 1 no script registers a timeline/),
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

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodePng } from '../../src/platform/png.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, solidColour } from '../video-split-screen/media.ts'
import { htmlParticle, particleFile, renderBeats } from './render.ts'

// Images of composition.assets that particles refer to by name.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
/** Paths by the names of assets. */
let assets: Readonly<Record<string, string>>

const size = { width: 320, height: 180 }
const cell = 40

async function image(name: string, colour: readonly [number, number, number]): Promise<string> {
  const bytes = Uint8Array.from({ length: cell * cell * 3 }, (_, at) => colour[at % 3] ?? 0)
  const path = join(folder.path, name)
  await writeFile(path, encodePng({ width: cell, height: cell, channels: 3, bytes }))
  return path
}

beforeAll(async () => {
  folder = await temporaryFolder()
  assets = {
    red: await image('red.png', [255, 0, 0]),
    'the green one': await image('green.png', [0, 255, 0]),
    'blue.png': await image('blue.png', [0, 0, 255]),
    clip: await solidColour(join(folder.path, 'clip.mkv'), { ...size, seconds: 1 }, 'black'),
  }
})
afterAll(() => folder[Symbol.asyncDispose]())

const beatOf = (html: string) => ({ start: 0, duration: 0.1, track_index: 0, html })

function render(beats: readonly object[], files = assets) {
  return renderBeats(
    { composition: { video_size: size, fps: 10, beats }, render: { output_format: 'qtrle' }, assets: files },
    folder.path,
  )
}

/** Colours in the middle of each cell of the first row. */
async function colours(path: string, cells: number): Promise<string[]> {
  const pixels = await ffmpeg('-i', path, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgba', '-')
  return Array.from({ length: cells }, (_, index) => {
    const at = ((cell / 2) * size.width + index * cell + cell / 2) * 4
    return pixels.subarray(at, at + 4).toString('hex')
  })
}

const place = (index: number) =>
  `position: absolute; top: 0; left: ${index * cell}px; width: ${cell}px; height: ${cell}px`

it('are shown wherever a particle may show an image, also by a particle file and in scripts', async () => {
  const html = htmlParticle(
    {},
    `<style>.css { background: url("the green one") }</style>
<img src="red" style="${place(0)}">
<img srcset="blue.png 1x" style="${place(1)}">
<p class="css" style="margin: 0; ${place(2)}"></p>
<p style="margin: 0; background: url(blue.png); ${place(3)}"></p>
<svg style="${place(4)}" viewBox="0 0 9 9"><image href="red" width="9" height="9"/></svg>
<svg style="${place(5)}" viewBox="0 0 9 9"><image xlink:href="the green one" width="9" height="9"/></svg>
<canvas width="${cell}" height="${cell}" style="${place(6)}"></canvas>`,
    `const canvas = document.querySelector('canvas').getContext('2d')
     canvas.drawImage(document.querySelector('img'), 0, 0)
     canvas.getImageData(0, 0, 1, 1)`,
  )
  const expected = ['ff0000ff', '0000ffff', '00ff00ff', '0000ffff', 'ff0000ff', '00ff00ff', 'ff0000ff']
  expect(await colours((await render([beatOf(html)])).path, 7)).toEqual(expected)
  const file = await particleFile(join(folder.path, 'particle.html'), html)
  const { html: _, ...beat } = beatOf('')
  const byFile = await render([{ ...beat, html_asset: 'particle' }], { ...assets, particle: file })
  expect(await colours(byFile.path, 7)).toEqual(expected)
})

it.each([
  [
    'an unknown name',
    '<img src="yellow">',
    /line 3: <img src="yellow"> is external; .*\(there: red, the green one, blue\.png\)/,
  ],
  ['the name of a video', '<img src="clip">', /line 3: <img src="clip"> is external; .*\(there: red, /],
  [
    'a path of this machine',
    '<img src="/etc/passwd">',
    /line 3: <img src="\/etc\/passwd"> is external; .* data: URI$/,
  ],
  ['a name of the language', '<img src="constructor">', /line 3: <img src="constructor"> is external/],
])('%s is an error with the line', async (_, inside, expected) => {
  await expect(render([beatOf(htmlParticle({}, `<p>text</p>\n${inside}`))])).rejects.toMatchObject({
    code: 6016,
    message: expect.stringMatching(expected) as string,
  })
})

it('a particle that refers to too many bytes is an error with their sizes', async () => {
  const path = join(folder.path, 'large.png')
  // Bytes that follow the picture are ignored by decoders.
  await writeFile(
    path,
    Buffer.concat([
      encodePng({ width: 1, height: 1, channels: 3, bytes: new Uint8Array(3) }),
      Buffer.alloc(9 * 2 ** 20),
    ]),
  )
  const html = htmlParticle({}, '<img src="large"><img src="large"><img src="large">')
  await expect(render([beatOf(html)], { large: path })).rejects.toMatchObject({
    code: 6016,
    message: expect.stringMatching(
      /beats\[0\]: its images make it larger than 32 MiB: large \(9 MiB\)/,
    ) as string,
  })
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, rgb, streams } from '../video-split-screen/media.ts'
import { consecutiveClips, render, request } from './render.ts'
import { sampleCases } from '../soak-size.ts'

const { encoders, filters } = await locateFfmpeg()
const missing = ['libx265', 'zscale'].filter((name) => !encoders.has(name) && !filters.has(name))

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Creates an HDR clip as phones and cameras record it (10 bits, BT.2020): grey on the left, orange on the right. */
async function hdrClip(name: string, transfer: string): Promise<string> {
  const path = join(folder.path, name)
  const picture = 'color=0x808080:s=320x180:r=25,drawbox=x=160:w=160:c=0xC06020:t=fill,format=gbrp'
  const converted = `zscale=tin=bt709:pin=bt709:min=gbr:rin=full:t=${transfer}:p=2020:m=2020_ncl:r=limited:npl=203`
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `${picture},${converted},format=yuv420p10le`, '-t', '0.4'],
    ...['-c:v', 'libx265', '-x265-params', 'log-level=none', '-tag:v', 'hvc1', '-colorspace', 'bt2020nc'],
    ...['-color_primaries', 'bt2020', '-color_trc', transfer, '-color_range', 'tv', path],
  )
  return path
}

/** Rotates a video by 90 degrees clockwise in its header only, as phones held upright do. */
async function rotateInHeader(path: string): Promise<void> {
  const bytes = await readFile(path)
  // ISO/IEC 14496-12, 8.3.2: the matrix starts 40 bytes after the name of the box, in 16.16 and for w in 2.30.
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  for (const [index, value] of [0, 1, 0, -1, 0, 0, 0, 0, 2 ** 14].entries())
    bytes.writeInt32BE(value * 2 ** 16, matrix + index * 4)
  await writeFile(path, bytes)
}

async function colorAt(path: string, [x, y]: readonly [number, number], width: number): Promise<number[]> {
  const at = (y * width + x) * 3
  return [...(await rgb(path, 5)).subarray(at, at + 3)]
}

function expectColours(grey: readonly number[], orange: readonly number[]): void {
  const colours = `${grey.join()} and ${orange.join()}`
  expect(Math.max(...grey) - Math.min(...grey), colours).toBeLessThanOrEqual(6)
  expect(grey[0], colours).toBeGreaterThan(70)
  expect(grey[0], colours).toBeLessThan(190)
  const [red = 0, green = 0, blue = 0] = orange
  expect(red - green, colours).toBeGreaterThan(40)
  expect(green - blue, colours).toBeGreaterThan(15)
}

describe.skipIf(missing.length > 0)('HDR (needs an ffmpeg with libx265 and zscale)', () => {
  // The next test has HLG, too.
  const transfers = [
    ['PQ', 'smpte2084'],
    ['HLG', 'arib-std-b67'],
  ] as const

  it.each(sampleCases(transfers, 1))(
    'of %s is tone-mapped to BT.709 and noted in the result',
    async (name, transfer) => {
      const path = await hdrClip(`${name}.mp4`, transfer)
      const rendered = await render(
        request({ size: [320, 180], picture: consecutiveClips([{ path, from: 0, seconds: 0.4 }]) }),
        folder.path,
      )
      expect(rendered.output.notes).toEqual([expect.stringMatching(`^${name}\\.mp4 is HDR.*bt709`)])
      expect((await streams(rendered.path))[0]).toMatchObject({
        ...{ pix_fmt: 'yuv420p', color_range: 'tv', color_space: 'bt709' },
        ...{ color_primaries: 'bt709', color_transfer: 'bt709' },
      })
      const [left, right] = [
        await colorAt(rendered.path, [80, 90], 320),
        await colorAt(rendered.path, [240, 90], 320),
      ]
      expectColours(left, right)
    },
  )

  it('of an upright phone is shown upright, and only its file is noted as HDR', async () => {
    const [phone, other] = [await hdrClip('phone.mp4', 'arib-std-b67'), join(folder.path, 'other.mkv')]
    await rotateInHeader(phone)
    await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=320x180:r=25', '-t', '0.4', '-c:v', 'ffv1', other)
    const cuts = [phone, other, phone].map((path) => ({ path, from: 0, seconds: 0.4 }))
    const { path, output } = await render(
      request({ size: [180, 320], picture: consecutiveClips(cuts) }),
      folder.path,
    )
    expect(output.notes).toEqual([expect.stringContaining('phone.mp4')])
    expectColours(await colorAt(path, [90, 80], 180), await colorAt(path, [90, 240], 180))
  })
})

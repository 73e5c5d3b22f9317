import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurred, probeStreams } from './purify.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)
const corner = { x: 0.9, y: 0.75, w: 0.1, h: 0.25 }

describe('pictures of other forms', () => {
  const source = (name: string, ...args: string[]) =>
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-t', '0.4', ...args, at(name)).then(() =>
      at(name),
    )
  const streamOf = async (path: string) => (await probeStreams(path))[0]

  it.each([
    [
      'odd.webm',
      ['-vf', 'scale=321:181', '-c:v', 'libvpx-vp9', '-deadline', 'realtime'],
      { width: 320, height: 180 },
      ['left off'],
    ],
    [
      'deep.mkv',
      ['-c:v', 'libx265', '-pix_fmt', 'yuv422p10le', '-x265-params', 'log-level=none'],
      { pix_fmt: 'yuv420p' },
      ['yuv422p10le'],
    ],
    ['full.mp4', ['-pix_fmt', 'yuvj420p', '-color_range', 'pc'], { color_range: 'pc' }, []],
    [
      'colours.mp4',
      [
        '-vf',
        'setparams=colorspace=smpte170m:color_primaries=smpte170m:color_trc=smpte170m',
        '-pix_fmt',
        'yuv420p',
        '-colorspace',
        'smpte170m',
        '-color_primaries',
        'smpte170m',
        '-color_trc',
        'smpte170m',
      ],
      { color_space: 'smpte170m', color_primaries: 'smpte170m' },
      [],
    ],
    [
      'narrow.mp4',
      ['-vf', 'setsar=4/3', '-pix_fmt', 'yuv420p'],
      { sample_aspect_ratio: '4:3', width: 320 },
      [],
    ],
    [
      'rgb.mov',
      ['-c:v', 'qtrle', '-pix_fmt', 'argb'],
      { color_space: 'bt709', pix_fmt: 'yuv420p' },
      ['black', 'argb'],
    ],
  ])('%s', async (name, args, expected, notes) => {
    const { path, output } = await blurred(await source(name, ...args), folder, corner)
    expect(await streamOf(path)).toMatchObject({ ...expected, nb_read_frames: '10' })
    expect(output.notes ?? []).toEqual(notes.map((note) => expect.stringContaining(note)))
  })

  it('turned ones come out upright, and boxes count in the picture as it is seen', async () => {
    const path = await source('turned.mp4', '-pix_fmt', 'yuv420p')
    await turn(path)
    const { path: made, output } = await blurred(path, folder, { x: 0, y: 0, w: 1, h: 0.25 })
    expect(await streamOf(made)).toMatchObject({ width: 180, height: 320, nb_read_frames: '10' })
    expect(JSON.stringify(await streamOf(made))).not.toContain('rotation')
    expect(output.notes).toEqual([expect.stringContaining('upright')])
    const [before, after] = [
      await ffmpeg('-i', path, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'),
      await ffmpeg('-i', made, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1'),
    ]
    const apart = (from: number, to: number) => {
      let sum = 0
      for (let place = from * 180; place < to * 180; place++)
        sum += Math.abs((before[place] ?? 0) - (after[place] ?? 0))
      return sum / ((to - from) * 180)
    }
    expect(apart(0, 80)).toBeGreaterThan(10)
    expect(apart(82, 320)).toBeLessThan(2)
  })

  it('HDR is mapped to standard range', async ({ skip }) => {
    const { encoders, filters } = await locateFfmpeg()
    if (!encoders.has('libx265') || !filters.has('zscale')) skip('this ffmpeg cannot make or map HDR')
    const path = await source(
      'hdr.mp4',
      ...[
        '-vf',
        'format=gbrp,zscale=tin=bt709:pin=bt709:min=gbr:rin=full:t=smpte2084:p=2020:m=2020_ncl:r=limited:npl=203,format=yuv420p10le',
      ],
      ...[
        '-c:v',
        'libx265',
        '-x265-params',
        'log-level=none',
        '-colorspace',
        'bt2020nc',
        '-color_primaries',
        'bt2020',
      ],
      ...['-color_trc', 'smpte2084', '-color_range', 'tv'],
    )
    const { path: made, output } = await blurred(path, folder, corner)
    expect(await streamOf(made)).toMatchObject({
      color_space: 'bt709',
      color_transfer: 'bt709',
      pix_fmt: 'yuv420p',
    })
    expect(output.notes).toContainEqual(expect.stringContaining('tone-mapped'))
  })
})

/** Turns a video by 90 degrees clockwise in its header alone, as phones held upright do. */
async function turn(path: string): Promise<void> {
  const bytes = await readFile(path)
  // ISO/IEC 14496-12, 8.3.2: the matrix stands 40 bytes after the box's name, in 16.16 and for w 2.30.
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  for (const [index, value] of [0, 1, 0, -1, 0, 0, 0, 0, 2 ** 14].entries())
    bytes.writeInt32BE(value * 2 ** 16, matrix + index * 4)
  await writeFile(path, bytes)
}

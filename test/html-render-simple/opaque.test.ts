import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, solidColour } from '../video-split-screen/media.ts'
import { htmlParticle, renderBeats } from './render.ts'

const size = { width: 320, height: 180 }
const frames = 6

/** Covers everything on every second frame; the browser returns such frames without alpha. */
const html = htmlParticle(
  { duration: 1 },
  '<b style="position: absolute; inset: 0; background: #00f"></b>',
  'document.querySelector("b").style.right = Math.round(t * 10) % 2 ? "0" : "50%"',
)

it.each(['mp4', 'webm', 'qtrle'] as const)(
  'opaque frames between transparent ones are kept in %s',
  async (form) => {
    await using folder = await temporaryFolder()
    const base = await solidColour(join(folder.path, 'red.mkv'), { ...size, seconds: 1 }, 'red')
    const { path } = await renderBeats(
      {
        composition: {
          ...{ video_size: size, fps: 10, duration: frames / 10 },
          tracks: form === 'mp4' ? [{ type: 'video', asset: 'base', track_index: 0, start: 0 }] : [],
          beats: [{ start: 0, duration: frames / 10, track_index: 0, html }],
        },
        render: { output_format: form },
        assets: { base },
      },
      folder.path,
    )
    const decoder = form === 'webm' ? ['-c:v', 'libvpx'] : []
    const corner = ['-vf', 'crop=2:2:300:90', '-f', 'rawvideo', '-pix_fmt', 'rgba', '-']
    const bytes = await ffmpeg(...decoder, '-i', path, ...corner)
    const alphas = Array.from({ length: bytes.length / 16 }, (_, frame) => {
      const [red = 0, , blue = 0, alpha = 0] = bytes.subarray(frame * 16, frame * 16 + 4)
      if (alpha < 128) return 'nothing'
      return blue > red ? 'particle' : 'base'
    })
    const background = form === 'mp4' ? 'base' : 'nothing'
    expect(alphas).toEqual(
      Array.from({ length: frames }, (_, frame) => (frame % 2 ? 'particle' : background)),
    )
  },
)

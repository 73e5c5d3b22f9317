import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { transparentSeekTime } from '../../src/engines/ffmpeg/alpha-seek.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { htmlParticle, renderBeats } from './render.ts'

/** Changes all colours every 0.7 s, so that the encoder would insert key frames of the colour there. */
const html = htmlParticle(
  { duration: 10 },
  '<b style="position: absolute; inset: 0 50% 0 0; background: #00f"></b>',
  'document.querySelector("b").style.background = ["#00f", "#fff", "#f00"][Math.floor(t / 0.7) % 3]',
)

it.each([10, 1.5])(
  'a layer at %d frames per second has key frames of colour and transparency together, at least once per second',
  async (fps) => {
    await using folder = await temporaryFolder()
    const { path } = await renderBeats(
      {
        composition: {
          ...{ video_size: { width: 320, height: 180 }, fps, duration: 2.5 },
          ...{ tracks: [], beats: [{ start: 0, duration: 2.5, track_index: 0, html }] },
        },
        render: { output_format: 'webm' },
      },
      folder.path,
    )
    const { ffprobe } = await locateFfmpeg()
    const args = ['-v', 'error', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0']
    const { stdout } = await promisify(execFile)(ffprobe, [...args, path])
    const keys = [...stdout.matchAll(/^([\d.]+),K/gm)].map(([, time]) => Number(time))
    const { video } = await probe(path)
    if (!video) throw new TypeError('no video')
    expect(video.alpha).toBe(true)
    for (const [index, time] of [...keys, 2.5].entries())
      expect(time - (keys[index - 1] ?? 0)).toBeLessThanOrEqual(1.001)
    // Between key frames, where a seek finds the one before.
    for (const time of keys)
      expect(await transparentSeekTime(path, { video, seconds: time + 0.3, signal: undefined })).toBe(
        time + 0.3,
      )
  },
)

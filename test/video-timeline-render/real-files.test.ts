import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { videoFolder } from '../engines/ffmpeg/generate-media.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases } from '../soak-size.ts'
import { rgb, streams } from '../video-split-screen/media.ts'
import { pixel } from './media.ts'
import { consecutiveClips, render, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const testVideos = videoFolder() ?? ''

describe.skipIf(testVideos === '')('real files', () => {
  it('rotated, with variable rate, transparent, with several sound tracks or none, become one video of constant rate', async () => {
    const cuts = [
      { path: 'mediabunny-rotate-buck-bunny.mp4', from: 1.5, seconds: 0.6 },
      { path: 'mediabunny-cursed-vfr.mp4', from: 2, seconds: 0.8 },
      { path: 'mediabunny-transparency.webm', from: 1, seconds: 0.5 },
      { path: 'opendubbing-englishvideo.mp4', from: 1, seconds: 0.7, speed: 1.5, keep_pitch: true },
      { path: 'auto-editor-mov_text.mp4', from: 0.2, seconds: 0.4 },
    ].map((cut) => ({ ...cut, path: join(testVideos, cut.path) }))
    const shown = sampleCases(cuts)
    const total = Math.round(shown.reduce((sum, { seconds }) => sum + seconds, 0) * 10) / 10
    const size = [180, 320] as const
    const severalTracks = {
      path: join(testVideos, 'mediabunny-multiple-aac-tracks.mp4'),
      from: 0.2,
    }
    const body = request({
      size,
      rate: 30,
      picture: consecutiveClips(shown),
      sound: [consecutiveClips([0.5, { ...severalTracks, seconds: total - 0.5 }])],
    })
    const { path, output, progress } = await render(body, folder.path)
    const [video, audio] = await streams(path)
    expect(output).toMatchObject({ duration: total, video_size: [180, 320] })
    expect(video).toMatchObject({ width: 180, height: 320, r_frame_rate: '30/1' })
    expect(video?.['nb_read_frames']).toBe(String(Math.round(30 * total)))
    expect(Number(video?.['duration'])).toBeCloseTo(total, 4)
    expect(Number(audio?.['duration'])).toBeCloseTo(total, 2)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    // The rotated picture is 9:16 and fills the canvas: its edges are not black.
    const first = await rgb(path, 8)
    const edges = [...pixel(first, size, [0.5, 0.01]), ...pixel(first, size, [0.5, 0.99])]
    expect(Math.max(...edges)).toBeGreaterThan(20)
  })
})

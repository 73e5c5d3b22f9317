import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { probe } from '../src/engines/ffmpeg/probe.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { detectText } from '../src/engines/vision/detect-text.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { purify } from '../test/video-purify/run-purify.ts'
import { measure, processorSeconds } from './measure.ts'

// Frames a second, and whether memory stays the same however long a video is: the peak of a process that finds text in
// a video or cleans it, as a worker does, and of its programs; its own mean in the second quarter and in the last. The
// video is 20 s of noise and shapes over and over, with a place at the bottom and one at the top right to be cleaned.
// npm run bench -- cleaning-memory <folder of models> <width> <minutes> <ffmpeg|raft|find> [frames a second]

const [models = '', width = '1280', minutes = '1', way = 'ffmpeg', fps = '30', made] = process.argv.slice(2)

await (made === undefined ? compare() : work(made))

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-cleaning-memory-'))
  try {
    const video = join(folder, 'video.mp4')
    const once = join(folder, 'once.mp4')
    const size = `${width}x${Math.round((Number(width) * 9) / 32) * 2}`
    const picture = `testsrc2=s=${size}:r=${fps},noise=alls=6:allf=t,drawtext=text='Reelwright':x=w*0.82:y=h*0.05:fontsize=h/20:fontcolor=white@0.6,drawtext=text='What is it about %{eif\\:t/4\\:d}':x=(w-tw)/2:y=h*0.88:fontsize=h/16:fontcolor=white:borderw=2`
    const encoder = [
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '23',
      '-pix_fmt',
      'yuv420p',
      '-g',
      '60',
    ]
    await ffmpeg('-f', 'lavfi', '-i', picture, '-t', '20', ...encoder, once)
    // Sound of its own: repeated with the pictures, its last packet would make their rate a variable one.
    const sound = ['-f', 'lavfi', '-i', 'sine']
    const whole = ['-t', String(60 * Number(minutes)), '-c:v', 'copy', video]
    await ffmpeg('-stream_loop', '-1', '-i', once, ...sound, ...whole)
    const program = [fileURLToPath(import.meta.url), models, width, minutes, way, fps, video]
    const { stdout } = await promisify(execFile)(process.execPath, program)
    console.log(`${way}, ${size}, ${minutes} minutes of ${fps} frames a second: ${stdout.trim()}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function work(video: string): Promise<void> {
  const folder = join(video, '..')
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
  /** Of this process as it goes on, MiB. */
  const held: number[] = []
  const watch = setInterval(() => held.push(process.memoryUsage().rss / 2 ** 20), 200)
  const regions = [
    { x: 0.2, y: 0.86, w: 0.6, h: 0.1 },
    { x: 0.8, y: 0.03, w: 0.19, h: 0.09 },
  ]
  const before = await processorSeconds()
  const { seconds, peakMiB } = await measure(async () => {
    if (way === 'find') await detectText(video, await probe(video), { threads: 2 })
    else await purify(video, folder, { purify_scope: 'region', purify_func_type: way, regions })
  })
  clearInterval(watch)
  const frames = 60 * Number(minutes) * Number(fps)
  const mean = (from: number, to: number) => {
    const part = held.slice(from * held.length, to * held.length)
    return Math.round(part.reduce((sum, size) => sum + size, 0) / part.length)
  }
  console.log(
    `${(frames / seconds).toFixed(1)} frames a second, ${((((await processorSeconds()) - before) / frames) * 1000).toFixed(1)} ms ` +
      `of processor a frame; peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB and ${peakMiB} MiB of its programs; ` +
      `mean in the second quarter ${mean(0.25, 0.5)} MiB, in the last ${mean(0.75, 1)} MiB`,
  )
}

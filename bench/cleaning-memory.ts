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

// Frames per second and memory of text detection or cleaning, in a process like a worker: the peak of the process and of
// its child processes, and its mean in the second and the last quarter, which shows whether memory grows with the length.
// The video repeats 20 s of noise and shapes, with regions to clean at the bottom and at the top right.
// npm run bench -- cleaning-memory <folder of models> <width> <minutes> <ffmpeg|raft|find> [frames per second]

const [models = '', width = '1280', minutes = '1', method = 'ffmpeg', fps = '30', videoOfChild] =
  process.argv.slice(2)

await (videoOfChild === undefined ? compare() : work(videoOfChild))

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-cleaning-memory-'))
  try {
    const video = join(folder, 'video.mp4')
    const onePass = join(folder, 'once.mp4')
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
    await ffmpeg('-f', 'lavfi', '-i', picture, '-t', '20', ...encoder, onePass)
    // The sound is not repeated with the pictures: its last packet would make their rate variable.
    const sound = ['-f', 'lavfi', '-i', 'sine']
    const outputOptions = ['-t', String(60 * Number(minutes)), '-c:v', 'copy', video]
    await ffmpeg('-stream_loop', '-1', '-i', onePass, ...sound, ...outputOptions)
    const program = [fileURLToPath(import.meta.url), models, width, minutes, method, fps, video]
    const { stdout } = await promisify(execFile)(process.execPath, program)
    console.log(`${method}, ${size}, ${minutes} minutes of ${fps} frames per second: ${stdout.trim()}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function work(video: string): Promise<void> {
  const folder = join(video, '..')
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
  /** Samples of the resident memory of this process, MiB. */
  const residentMiB: number[] = []
  const sampling = setInterval(() => residentMiB.push(process.memoryUsage().rss / 2 ** 20), 200)
  const regions = [
    { x: 0.2, y: 0.86, w: 0.6, h: 0.1 },
    { x: 0.8, y: 0.03, w: 0.19, h: 0.09 },
  ]
  const before = await processorSeconds()
  const { seconds, peakMiB } = await measure(async () => {
    if (method === 'find') await detectText(video, await probe(video), { threads: 2 })
    else await purify(video, folder, { purify_scope: 'region', purify_func_type: method, regions })
  })
  clearInterval(sampling)
  const frames = 60 * Number(minutes) * Number(fps)
  const mean = (from: number, to: number) => {
    const part = residentMiB.slice(from * residentMiB.length, to * residentMiB.length)
    return Math.round(part.reduce((sum, size) => sum + size, 0) / part.length)
  }
  console.log(
    `${(frames / seconds).toFixed(1)} frames per second, ${((((await processorSeconds()) - before) / frames) * 1000).toFixed(1)} ms ` +
      `of processor time per frame; peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB and ${peakMiB} MiB of its child processes; ` +
      `mean in the second quarter ${mean(0.25, 0.5)} MiB, in the last ${mean(0.75, 1)} MiB`,
  )
}

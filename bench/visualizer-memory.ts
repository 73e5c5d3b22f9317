import { noLibrary } from '../test/tasks/no-library.ts'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stage } from '../test/music-visualizer/render.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { run } from '../tools/music-visualizer/run.ts'
import { measure } from './measure.ts'

// Memory of music_visualizer by length of the music: the peak of a process that renders one result, like a worker, and of
// its child processes, for minutes and for hours of music (Linux).
// npm run bench -- visualizer-memory [minutes] [more minutes] [template]

const [one, other, templateArg] = process.argv.slice(2)
const songOfChild = one?.endsWith('.flac') ? one : undefined
const resolution = { width: 128, height: 72 }

await (songOfChild === undefined ? compare() : renderSong(songOfChild, other ?? 'bars'))

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-visualizer-memory-'))
  try {
    for (const minutes of [Number(one ?? 10), Number(other ?? 180)]) {
      const song = join(folder, `${minutes}.flac`)
      await createSong(song, minutes)
      const program = [fileURLToPath(import.meta.url), song, templateArg ?? 'bars']
      const { stdout } = await promisify(execFile)(process.execPath, program)
      console.log(`${minutes} minutes of music: ${stdout.trim()}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates music of drums, noise and chords that repeats every eight seconds. */
async function createSong(path: string, minutes: number): Promise<void> {
  const drum = '0.6*sin(2*PI*55*mod(t,0.5))*exp(-8*mod(t,0.5))'
  const rest = '0.08*(random(0)*2-1)*exp(-30*mod(t+0.25,0.5))+0.1*sin(2*PI*110*t)+0.03*sin(2*PI*990*t)'
  const bar = join(dirname(path), 'bar.wav')
  await ffmpeg('-f', 'lavfi', '-i', `aevalsrc='${drum}+${rest}|${drum}+0.7*(${rest})':s=44100:d=8`, bar)
  await ffmpeg('-stream_loop', '-1', '-i', bar, '-t', String(60 * minutes), path)
}

async function renderSong(song: string, template: string): Promise<void> {
  const { input, files } = await stage({
    file_id: song,
    template_id: template,
    track: 'Night Drive',
    resolution,
  })
  /** Samples of the resident memory of this process, MiB. */
  const residentMiB: number[] = []
  const { seconds, peakMiB } = await measure(async () => {
    await run(input, {
      ...{
        files,
        taskId: '1',
        scratch: dirname(song),
        steps: dirname(song),
        threads: 2,
        signal: new AbortController().signal,
      },
      progress: () => residentMiB.push(process.memoryUsage().rss / 2 ** 20),
      library: noLibrary,
      keep: () => ({ file_id: '1', download_url: '' }),
    })
  })
  const ownPeakMiB = Math.round(process.resourceUsage().maxRSS / 1024)
  const mean = (from: number, to: number) => {
    const part = residentMiB.slice(from * residentMiB.length, to * residentMiB.length)
    return Math.round(part.reduce((sum, size) => sum + size, 0) / part.length)
  }
  console.log(
    `peak ${ownPeakMiB} MiB and ${peakMiB} MiB of its child processes; its mean in the second quarter ${mean(0.25, 0.5)} MiB, ` +
      `in the last ${mean(0.75, 1)} MiB; ${seconds.toFixed(0)} s`,
  )
}

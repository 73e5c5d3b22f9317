import { execFile } from 'node:child_process'
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { consecutiveClips, request } from '../test/video-timeline-render/render.ts'
import { measure } from './measure.ts'
import { requestOfCuts, createSources, prepareRender } from './timeline-work.ts'

// Memory of video_timeline_render by number of clips, number of files and length of the sound: the peak of a process that
// renders one result, like a worker, and of its child processes. Renders 25 s in 10 and in 500 clips of 1080p and 4K, and
// ten minutes and three hours of sound (Linux). Compare processor times if the machine is shared.
// npm run bench -- timeline-memory [clips] [frames between key frames]

const [one, other] = process.argv.slice(2)

await (one?.endsWith('.json') ? renderSources(one) : compare(Number(one ?? 500), Number(other ?? 12)))

async function compare(many: number, gop: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-timeline-memory-'))
  try {
    const sources = await createSources(folder, gop)
    const largeSources = await createSources(folder, gop, '3840x2160')
    for (const [name, files] of [
      ['1080p', sources],
      ['4K', largeSources],
    ] as const) {
      const names = await linkSources(join(folder, name), files, many)
      await measureRender(`10 clips of ${name}`, folder, clips(10, files))
      await measureRender(`${many} clips of ${name}`, folder, clips(many, files))
      await measureRender(`${many} clips of ${many} files of ${name}`, folder, clips(many, names))
    }
    for (const minutes of [10, 180]) {
      await measureRender(`${minutes} minutes of sound`, folder, await longSound(folder, sources, minutes))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Renders in a child process, which prints its time and memory. */
async function measureRender(title: string, folder: string, body: ReturnType<typeof request>): Promise<void> {
  const path = join(folder, 'request.json')
  await writeFile(path, JSON.stringify(body))
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), path])
  console.log(`${title}: ${stdout.trim()}`)
}

/** Clips of 25 s in total that alternate between sources and positions. */
function clips(count: number, sources: readonly string[]): ReturnType<typeof request> {
  return requestOfCuts(
    Array.from({ length: count }, (_, index) => ({
      ...{ path: sources[index % sources.length] ?? '', from: (index * 5.3) % 12, seconds: 25 / count },
    })),
  )
}

/** Creates `count` hard links to the sources. */
async function linkSources(names: string, sources: readonly string[], count: number): Promise<string[]> {
  await mkdir(names)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(names, `${index}.mp4`)
      await link(sources[index % sources.length] ?? '', path)
      return path
    }),
  )
}

/** A few clips followed by black, with sound for the whole duration. */
async function longSound(
  folder: string,
  sources: readonly string[],
  minutes: number,
): Promise<ReturnType<typeof request>> {
  const [minute, all] = [join(folder, 'minute.m4a'), join(folder, `${minutes}.m4a`)]
  const noise = 'anoisesrc=amplitude=0.2:color=pink:sample_rate=44100:duration=60'
  await ffmpeg('-f', 'lavfi', '-i', noise, '-ac', '2', '-c:a', 'aac', minute)
  await ffmpeg('-stream_loop', String(minutes - 1), '-i', minute, '-c', 'copy', all)
  return request({
    ...{ size: [320, 180], rate: 5 },
    picture: consecutiveClips(sources.map((path) => ({ path, from: 1, seconds: 3 }))),
    sound: [consecutiveClips([{ path: all, from: 0, seconds: minutes * 60 - 1 }])],
  })
}

async function renderSources(path: string): Promise<void> {
  const body = JSON.parse(await readFile(path, 'utf8')) as ReturnType<typeof request>
  const planned = await prepareRender(body, join(path, '..'))
  const before = await childProcessorSeconds()
  const { seconds, peakMiB } = await measure(planned.run)
  const ownPeakMiB = Math.round(process.resourceUsage().maxRSS / 1024)
  const busy = (await childProcessorSeconds()) - before
  console.log(
    `peak ${ownPeakMiB} MiB and ${peakMiB} MiB of its child processes; ${seconds.toFixed(1)} s, processor time ` +
      `${busy.toFixed(1)} s, estimated ${planned.seconds} s`,
  )
}

/** Processor time of ended child processes, seconds. */
async function childProcessorSeconds(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).split(' ')
  // cutime and cstime, see proc(5), in hundredths of a second.
  return (Number(fields[15]) + Number(fields[16])) / 100
}

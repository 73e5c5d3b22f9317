import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { stage } from '../test/tasks/run-operation.ts'
import { inARow, request } from '../test/video-timeline-render/render.ts'
import type { Cut } from '../test/video-timeline-render/render.ts'
import { videoTimelineRender } from '../tools/video-timeline-render/contract.ts'
import { encoderArgs } from '../tools/video-timeline-render/parts.ts'
import { plan } from '../tools/video-timeline-render/plan.ts'
import { run } from '../tools/video-timeline-render/run.ts'
import { abba, besideByHand, measure, memoryOfChildren } from './measure.ts'

// Wall time of video_timeline_render against the ffmpeg command one writes by hand for the same cuts (each cut an
// input that is sought, scaled and padded, all joined by concat), with the same encoder settings: ratio of the
// medians of ABBA rounds, the estimate, and the memory of all programs at once. Then the memory, this process's
// own with it, of 10 and of 500 clips, and of ten minutes and three hours of sound.
// node bench/timeline.ts [rounds]

const rounds = Number(process.argv[2] ?? 3)
const threads = 2
const [width, height, rate] = [1280, 720, 30]

const folder = await mkdtemp(join(tmpdir(), 'bench-timeline-'))
try {
  let sources: readonly string[] = []
  // Short ones last: memory is measured with those.
  for (const gop of [250, 12]) {
    sources = await makeSources(gop)
    const mixed = Array.from({ length: 16 }, (_, index) => ({
      ...{
        path: sources[index % 3] ?? '',
        from: ((index * 5.3) % 12) + 0.21,
        lasts: 1 + (index % 5) * 0.3,
      },
    }))
    await compare(`16 cuts of three files, a key frame every ${gop} frames`, mixed)
    const jumps = Array.from({ length: 9 }, (_, index) => ({
      ...{ path: sources[0] ?? '', from: 0.3 + index * 1.6, lasts: 1.1 },
    }))
    await compare(`9 jump cuts of one file, a key frame every ${gop} frames`, jumps)
  }
  await compareClips(sources)
  await compareLengths(sources)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compare(title: string, cuts: readonly Cut[]): Promise<void> {
  const planned = await prepare(bodyOf(cuts))
  const ours = () => measure(planned.run)
  const byHand = () => measure(() => handWritten(cuts))
  const figures = besideByHand(...(await abba(rounds, ours, byHand)))
  console.log(`${title}: ${figures}; estimated ${planned.seconds} s`)
}

/** What this process, which mixes the sound, and its programs hold. */
const look = async () => (await memoryOfChildren()) + process.memoryUsage.rss() / 2 ** 20

async function weigh(title: string, body: ReturnType<typeof request>): Promise<void> {
  const planned = await prepare(body)
  const { seconds, peakMiB } = await measure(planned.run, { look })
  console.log(
    `${title}: ${seconds.toFixed(2)} s, estimated ${planned.seconds} s; peak ${peakMiB.toFixed(0)} MiB`,
  )
}

async function compareClips(sources: readonly string[]): Promise<void> {
  for (const count of [10, 500]) {
    const cuts = Array.from({ length: count }, (_, index) => ({
      ...{ path: sources[index % 3] ?? '', from: (index * 5.3) % 12, lasts: 25 / count },
    }))
    await weigh(`${count} clips, 25 s`, bodyOf(cuts))
  }
}

/** Music under a few clips and, after them, black. */
async function compareLengths(sources: readonly string[]): Promise<void> {
  const [minute, hours] = [join(folder, 'minute.m4a'), join(folder, 'hours.m4a')]
  const noise = 'anoisesrc=amplitude=0.2:color=pink:sample_rate=44100:duration=60'
  await ffmpeg('-f', 'lavfi', '-i', noise, '-ac', '2', '-c:a', 'aac', minute)
  await ffmpeg('-stream_loop', '179', '-i', minute, '-c', 'copy', hours)
  const picture = inARow(sources.map((path) => ({ path, from: 1, lasts: 3 })))
  for (const minutes of [10, 180]) {
    const sound = [inARow([{ path: hours, from: 0, lasts: minutes * 60 - 1 }])]
    await weigh(`${minutes} minutes of sound`, request({ size: [320, 180], rate: 5, picture, sound }))
  }
}

function bodyOf(cuts: readonly Cut[]) {
  return request({ size: [width, height], rate, picture: inARow(cuts) })
}

/** Moving 1080p pictures with some grain, and a tone, at three rates. */
async function makeSources(gop: number): Promise<string[]> {
  const paths: string[] = []
  for (const [index, frames] of ['30', '24000/1001', '25'].entries()) {
    const path = join(folder, `source-${gop}-${index}.mp4`)
    const picture = `testsrc2=s=1920x1080:r=${frames},hue=h=${index * 40},noise=alls=6:allf=t`
    await ffmpeg(
      ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=${300 + 100 * index}`],
      ...['-t', '15', '-c:v', 'libx264', '-preset', 'superfast', '-crf', '26', '-pix_fmt', 'yuv420p'],
      ...['-g', String(gop), '-c:a', 'aac', path],
    )
    paths.push(path)
  }
  return paths
}

async function prepare(
  body: ReturnType<typeof request>,
): Promise<{ run: () => Promise<void>; seconds: number }> {
  const files = await stage(body.materials.map(({ id }) => id))
  const input = videoTimelineRender.input.parse(body)
  return {
    seconds: plan(input, files).seconds,
    async run() {
      const scratch = join(folder, 'ours')
      await mkdir(scratch, { recursive: true })
      await run(input, {
        ...{ files, taskId: '1', scratch, threads, signal: new AbortController().signal },
        progress: () => {},
        keep: () => ({ file_id: '1', download_url: '' }),
      })
    },
  }
}

async function handWritten(cuts: readonly Cut[]): Promise<void> {
  const inputs = cuts.flatMap(({ path, from, lasts }) => [
    '-ss',
    String(from),
    '-t',
    String(lasts),
    '-i',
    path,
  ])
  const fit = `scale=${width}:${height}:force_original_aspect_ratio=decrease`
  const pad = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`
  const chains = cuts.map(
    (_, index) =>
      `[${index}:v]fps=${rate},${fit},${pad},setsar=1,format=yuv420p[v${index}];` +
      `[${index}:a]aresample=48000,aformat=channel_layouts=stereo[a${index}]`,
  )
  const all = cuts.map((_, index) => `[v${index}][a${index}]`).join('')
  await ffmpeg(
    ...inputs,
    ...['-filter_complex', `${chains.join(';')};${all}concat=n=${cuts.length}:v=1:a=1[v][a]`],
    ...['-map', '[v]', '-map', '[a]', ...encoderArgs, '-threads', String(threads), '-r', String(rate)],
    ...['-c:a', 'aac', '-b:a', '192k', '-movflags', '+faststart', join(folder, 'by-hand.mp4')],
  )
}

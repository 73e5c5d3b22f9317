import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import type { Cut } from '../test/video-timeline-render/render.ts'
import { timelineEncoderArgs } from '../src/engines/timeline/encode-part.ts'
import { abba, formatComparison, measure } from './measure.ts'
import { requestOfCuts, height, createSources, prepareRender, rate, threads, width } from './timeline-work.ts'

// Wall time of video_timeline_render against a hand-written ffmpeg command for the same cuts with the same encoder
// settings: each cut is an input with seeking, scaling and padding, and concat joins them. Reports the ratio of the medians
// of ABBA rounds, the estimate, and the peak memory of all child processes.
// npm run bench -- timeline [rounds]

const rounds = Number(process.argv[2] ?? 3)

const folder = await mkdtemp(join(tmpdir(), 'bench-timeline-'))
try {
  for (const gop of [250, 12]) {
    const sources = await createSources(folder, gop)
    const mixed = Array.from({ length: 16 }, (_, index) => ({
      ...{
        path: sources[index % 3] ?? '',
        from: ((index * 5.3) % 12) + 0.21,
        seconds: 1 + (index % 5) * 0.3,
      },
    }))
    await compare(`16 cuts of three files, a key frame every ${gop} frames`, mixed)
    const jumpingCuts = Array.from({ length: 9 }, (_, index) => ({
      ...{ path: sources[0] ?? '', from: 0.3 + index * 1.6, seconds: 1.1 },
    }))
    await compare(`9 jump cuts of one file, a key frame every ${gop} frames`, jumpingCuts)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compare(title: string, cuts: readonly Cut[]): Promise<void> {
  const planned = await prepareRender(requestOfCuts(cuts), folder)
  const ours = () => measure(planned.run)
  const handWritten = () => measure(() => runHandWritten(cuts))
  const figures = formatComparison(...(await abba(rounds, ours, handWritten)))
  console.log(`${title}: ${figures}; estimated ${planned.seconds} s`)
}

async function runHandWritten(cuts: readonly Cut[]): Promise<void> {
  const inputs = cuts.flatMap(({ path, from, seconds }) => [
    '-ss',
    String(from),
    '-t',
    String(seconds),
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
    ...[
      '-map',
      '[v]',
      '-map',
      '[a]',
      ...timelineEncoderArgs(),
      '-threads',
      String(threads),
      '-r',
      String(rate),
    ],
    ...['-c:a', 'aac', '-b:a', '192k', '-movflags', '+faststart', join(folder, 'by-hand.mp4')],
  )
}

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { createTestContext, stageFiles } from '../test/tasks/run-in-worker.ts'
import { videoSplitScreen } from '../tools/video-split-screen/contract.ts'
import { plan } from '../tools/video-split-screen/plan.ts'
import { splitScreenEncoderArgs } from '../tools/video-split-screen/encode.ts'
import { run } from '../tools/video-split-screen/run.ts'
import { abba, formatComparison, measure } from './measure.ts'

// Wall time of video_split_screen against a hand-written xstack command for the same picture, with the
// same encoder settings: ratio of the medians of ABBA rounds, the estimate, and peak memory (Linux).
// npm run bench -- split-screen [rounds]

const rounds = Number(process.argv[2] ?? 3)
const seconds = 8
const threads = 2

interface SplitScreenCase {
  readonly clips: number
  readonly layoutId: number
  /** Columns and rows of the layout. */
  readonly grid: readonly [number, number]
}

const cases: readonly SplitScreenCase[] = [
  { clips: 2, layoutId: 200_100, grid: [1, 2] },
  { clips: 4, layoutId: 400_100, grid: [2, 2] },
  { clips: 9, layoutId: 900_100, grid: [3, 3] },
]

const folder = await mkdtemp(join(tmpdir(), 'bench-split-screen-'))
try {
  const sources = await createGrainySources(9)
  for (const one of cases) await compare(one, sources.slice(0, one.clips))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compare(one: SplitScreenCase, sources: readonly string[]): Promise<void> {
  const files = await stageFiles(sources)
  const input = videoSplitScreen.input.parse({
    clips: sources.map((path) => ({ file_id: path.slice(-64) })),
    layout_mode: 'template',
    layout_id: one.layoutId,
  })
  const ours = () => measure(() => runOurs(input, files))
  const handWritten = () => measure(() => runHandWritten(one, sources))
  const figures = formatComparison(...(await abba(rounds, ours, handWritten)))
  console.log(`${one.clips} clips: ${figures}; estimated ${plan(input, files).seconds} s`)
}

/** Moving 1080p pictures with some grain, and a tone. */
async function createGrainySources(count: number): Promise<string[]> {
  const paths: string[] = []
  for (let index = 0; index < count; index += 1) {
    const path = join(folder, `source-${index}.mp4`)
    const picture = `testsrc2=s=1920x1080:r=30,hue=h=${index * 40},noise=alls=6:allf=t`
    await ffmpeg(
      ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=${300 + 100 * index}`],
      ...['-t', String(seconds), '-c:v', 'libx264', '-preset', 'superfast', '-crf', '26'],
      ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
    )
    paths.push(path)
  }
  return paths
}

async function runOurs(
  input: Parameters<typeof run>[0],
  files: Awaited<ReturnType<typeof stageFiles>>,
): Promise<void> {
  const scratch = join(folder, 'ours')
  await mkdir(scratch, { recursive: true })
  await run(input, createTestContext(files, scratch).context)
}

async function runHandWritten(
  { grid: [columns, rows] }: SplitScreenCase,
  sources: readonly string[],
): Promise<void> {
  const [width, height, gap] = [1080, 1920, 8]
  const cell = [(width - gap * (columns - 1)) / columns, (height - gap * (rows - 1)) / rows] as const
  const [w, h] = [2 * Math.floor(cell[0] / 2), 2 * Math.floor(cell[1] / 2)]
  const chains = sources.map(
    (_, index) =>
      `[${index}:v]scale=${w}:${h}:force_original_aspect_ratio=increase,crop=${w}:${h},setsar=1[c${index}]`,
  )
  const overlays = sources.map(
    (_, index) => `${(index % columns) * (w + gap)}_${Math.floor(index / columns) * (h + gap)}`,
  )
  const stack = `${sources.map((_, index) => `[c${index}]`).join('')}xstack=inputs=${sources.length}:layout=${overlays.join('|')}:fill=black[v]`
  await ffmpeg(
    ...sources.flatMap((path) => ['-i', path]),
    ...['-filter_complex', [...chains, stack].join(';'), '-map', '[v]', '-map', '0:a'],
    ...[...splitScreenEncoderArgs, '-threads', String(threads), '-r', '30'],
    ...['-c:a', 'aac', '-b:a', '192k', '-ar', '48000', '-ac', '2'],
    ...['-t', String(seconds), '-movflags', '+faststart', join(folder, 'by-hand.mp4')],
  )
}

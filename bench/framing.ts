import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timelineEncoderArgs } from '../src/engines/timeline/encode-part.ts'
import { renderTimeline } from '../src/engines/timeline/render.ts'
import type { Rect } from '../src/media/geometry.ts'
import type { ClipFraming } from '../src/media/timeline/framing.ts'
import { fileIdOf, stageFiles } from '../test/tasks/run-in-worker.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { abba, median, processorSeconds } from './measure.ts'

// Processor time of rendering a portrait clip of 1080p footage with each framing against a hand-written ffmpeg command
// with the same filters and encoder settings. Reports the ratio of the medians of ABBA rounds. Other work on the machine
// changes wall time, so that processor time counts.
// npm run bench -- framing [rounds]

const rounds = Number(process.argv[2] ?? 2)
const rate = 30
/** Ranges of the source, seconds: three cuts of one file. */
const cuts = [2, 12, 20].map((from) => ({ from, seconds: 2 }))
const canvas = { width: 1080, height: 1920 }
const threads = 2

const folder = await mkdtemp(join(tmpdir(), 'bench-framing-'))
const source = join(folder, 'source.mp4')
try {
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=size=1920x1080:rate=${rate},noise=alls=6:allf=t`],
    ...['-f', 'lavfi', '-i', 'anoisesrc=a=0.1:r=48000', '-t', '27', '-c:v', 'libx264', '-preset', 'veryfast'],
    ...['-g', '60', '-crf', '20', '-pix_fmt', 'yuv420p', '-c:a', 'aac', source],
  )
  const crop: Rect = { x: 640, y: 0, width: 608, height: 1080 }
  const framings: Record<string, { framing: ClipFraming; byHand: string }> = {
    crop: { framing: { mode: 'crop', crop }, byHand: 'crop=608:1080:640:0,scale=1080:1920:flags=bicubic' },
    'crop that moves': {
      framing: { mode: 'crop', crop, moveTo: { ...crop, x: 700 } },
      byHand: `crop=668:1080:640:0,perspective=${['x0', 'x2'].map((x) => `${x}=in/3`).join(':')}:${['x1', 'x3'].map((x) => `${x}=608+in/3`).join(':')}:y0=0:y1=0:y2=H:y3=H:eval=frame:interpolation=cubic,scale=1080:1920:flags=bicubic`,
    },
    'fit over a blurred copy': {
      framing: { mode: 'fit', blurSigma: 40 },
      byHand:
        'scale=1080:608:flags=bicubic,split[w#][c#];[c#]crop=342:608,scale=136:240:flags=area,gblur=sigma=5:steps=3,scale=1080:1920:flags=bicubic[f#];[f#][w#]overlay=0:656:format=yuv420',
    },
    'split into two': {
      framing: {
        mode: 'split',
        slots: [
          {
            crop: { x: 200, y: 60, width: 1080, height: 960 },
            slot: { x: 0, y: 0, width: 1080, height: 960 },
          },
          {
            crop: { x: 840, y: 60, width: 1080, height: 960 },
            slot: { x: 0, y: 960, width: 1080, height: 960 },
          },
        ],
      },
      byHand:
        'split[s#][t#];[s#]crop=1080:960:200:60,pad=1080:1920[u#];[t#]crop=1080:960:840:60[v#];[u#][v#]overlay=0:960:format=yuv420',
    },
  }
  for (const [name, { framing, byHand }] of Object.entries(framings)) {
    const [ours, handWritten] = await abba(
      rounds,
      () => processorTime(() => renderFramed(framing)),
      () => processorTime(() => renderByHand(byHand)),
    )
    const [one, other] = [median(ours), median(handWritten)]
    console.log(
      `${name}: ${one.toFixed(2)} s, by hand ${other.toFixed(2)} s of processor time, ratio ${(one / other).toFixed(3)}`,
    )
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = await processorSeconds()
  await work()
  return (await processorSeconds()) - before
}

async function renderFramed(framing: ClipFraming): Promise<void> {
  let at = 0
  const clips = cuts.map(({ from, seconds }, index) => ({
    ...{
      requestPath: `clips[${index}]`,
      material: fileIdOf(source),
      speed: 1,
      keepPitch: true,
      volume: 1,
      framing,
    },
    source: { from, to: from + seconds },
    track: { from: at, to: (at += seconds) },
  }))
  const scratch = join(folder, 'scratch')
  await mkdir(scratch, { recursive: true })
  await renderTimeline(
    {
      ...canvas,
      rate: { num: rate, den: 1 },
      seconds: at,
      frames: at * rate,
      picture: clips,
      sound: [clips],
    },
    {
      ...{ path: join(folder, 'ours.mp4'), scratch, files: await stageFiles([source]), threads },
      signal: new AbortController().signal,
      progress: () => {},
    },
  )
}

async function renderByHand(filters: string): Promise<void> {
  const inputs = cuts.flatMap(({ from, seconds }) => [
    '-ss',
    String(from),
    '-t',
    String(seconds),
    '-i',
    source,
  ])
  const chains = cuts.map(
    (_, index) =>
      `[${index}:v]fps=${rate},${filters.replaceAll('#', String(index))},setsar=1,format=yuv420p[o${index}];` +
      `[${index}:a]aresample=48000,aformat=channel_layouts=stereo[a${index}]`,
  )
  const all = cuts.map((_, index) => `[o${index}][a${index}]`).join('')
  // Not by the helper of tests, which copies the result of an equal command.
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-y', ...inputs],
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
  ])
}

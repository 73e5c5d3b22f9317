import { noLibrary } from '../test/tasks/no-library.ts'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stage } from '../test/music-visualizer/render.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { musicVisualizer } from '../tools/music-visualizer/contract.ts'
import { visualizerEncoderArgs } from '../tools/music-visualizer/encode.ts'
import { plan } from '../tools/music-visualizer/plan.ts'
import { run } from '../tools/music-visualizer/run.ts'
import { abba, measure, summary } from './measure.ts'

// Speed of music_visualizer as a multiple of real time, by template at 1080p30, against hand-written commands with ffmpeg's
// audio filters on a still background and the same encoder settings: medians of ABBA rounds. Peak memory includes this
// process and its child processes.
// npm run bench -- visualizer [rounds] [template]

const rounds = Number(process.argv[2] ?? 2)
const only = process.argv[3]
const seconds = 20
const threads = 2

/** The most similar filter for templates. */
const handWrittenFilters = {
  bars: 'showfreqs=s=1920x540:mode=bar:ascale=log:fscale=log:rate=30',
  wave: 'showwaves=s=1920x540:mode=cline:rate=30',
  scope: 'avectorscope=s=1080x1080:draw=line:rate=30',
}
const nearest: Readonly<Record<string, string>> = {
  ridge: handWrittenFilters.wave,
  lissajous: handWrittenFilters.scope,
}

const folder = await mkdtemp(join(tmpdir(), 'bench-visualizer-'))
try {
  const song = join(folder, 'song.wav')
  await createSong(song)
  for (const template of musicVisualizer.input.shape.template_id.options) {
    if (only === undefined || only === template) await compare(template, song)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Creates a song of drums, noise and chords. */
async function createSong(path: string): Promise<void> {
  const drum = '0.6*sin(2*PI*55*mod(t,0.5))*exp(-8*mod(t,0.5))'
  const noise = '0.08*(random(0)*2-1)*exp(-30*mod(t+0.25,0.5))'
  const chord = (hertz: number) =>
    `0.08*sin(2*PI*${hertz}*t)+0.05*sin(2*PI*${2.5 * hertz}*t)+0.03*sin(2*PI*${9 * hertz}*t)`
  const graph = `aevalsrc='${drum}+${noise}+${chord(110)}|${drum}+${noise}+${chord(165)}':s=44100:d=${seconds}`
  await ffmpeg('-f', 'lavfi', '-i', graph, path)
}

async function compare(template: string, song: string): Promise<void> {
  const { input, files } = await stage({
    ...{ file_id: song, template_id: template, track: 'Night Drive', artist: 'The Example Band' },
    ...{ c1: '#8B5CF6', c2: '#22D3EE' },
  })
  const scratch = join(folder, 'ours')
  await mkdir(scratch, { recursive: true })
  const ours = async () => {
    await run(input, {
      ...{ files, taskId: '1', scratch, steps: scratch, threads, signal: new AbortController().signal },
      progress: () => {},
      library: noLibrary,
      keep: () => ({ file_id: '1', download_url: '' }),
    })
  }
  const filter = nearest[template] ?? handWrittenFilters.bars
  const results = await abba(
    rounds,
    () => measure(ours),
    () => measure(() => runHandWritten(filter, song)),
  )
  const [ourSummary, handWrittenSummary] = [summary(results[0]), summary(results[1])]
  const memory = ourSummary.peakMiB + Math.round(process.memoryUsage().rss / 2 ** 20)
  console.log(
    `${template}: ${(seconds / ourSummary.seconds).toFixed(2)} times real time, by hand ` +
      `${(seconds / handWrittenSummary.seconds).toFixed(2)}, ratio ${(ourSummary.seconds / handWrittenSummary.seconds).toFixed(2)}; ` +
      `${ourSummary.seconds.toFixed(1)} s, estimated ${plan(input, files).seconds} s; ` +
      `peak ${memory} MiB, by hand ${handWrittenSummary.peakMiB} MiB`,
  )
}

async function runHandWritten(filter: string, song: string): Promise<void> {
  const graph =
    'color=0x1a1a2e:s=1920x1080:r=30,format=yuv420p[b];' +
    `[0:a]${filter},format=yuva420p[v0];[b][v0]overlay=x=(W-w)/2:y=H-h[v]`
  await ffmpeg(
    ...['-i', song, '-filter_complex', graph, '-map', '[v]', '-map', '0:a', ...visualizerEncoderArgs],
    ...['-threads', String(threads), '-r', '30', '-c:a', 'aac', '-b:a', '192k', '-ar', '48000'],
    ...['-t', String(seconds), '-movflags', '+faststart', join(folder, 'by-hand.mp4')],
  )
}

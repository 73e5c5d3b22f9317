import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { solidColour } from '../test/video-split-screen/media.ts'
import { createTestContext, stageFiles } from '../test/tasks/run-in-worker.ts'
import { abba, measure, summary, type Measured } from './measure.ts'
import { locateChromium } from '../src/engines/chromium/locate.ts'
import { htmlRenderSimple } from '../tools/html-render-simple/contract.ts'
import { plan } from '../tools/html-render-simple/plan.ts'
import { run } from '../tools/html-render-simple/run.ts'

/** Measures all processes, which takes longer than measuring the children. */
const withBrowsers = { sample: residentOfDescendants, everyMs: 200 }

// Wall time of html_render_simple against the public renderer `hyperframes` on the same composition, drawn by the
// same browser with two workers, x264 of the same CRF: ratio of the medians of ABBA rounds, and peak memory (Linux).
// npm run bench -- html-render [folder with node_modules/hyperframes] [rounds]

const peer = process.argv[2]
const rounds = Number(process.argv[3] ?? 2)
const [width, height, fps, seconds] = [1080, 1920, 30, 4]

/** Moving text, a shadow and a bar, as in captions. The timeline implements the interfaces of both renderers. */
const content = `<style>
  body { margin: 0 } .root { position: relative; width: ${width}px; height: ${height}px; overflow: hidden; background: #102030 }
  .card { position: absolute; left: 90px; top: 700px; width: 780px; padding: 60px; color: #fff; font: 700 88px sans-serif; border-radius: 40px;
    background: rgb(20 30 60 / 0.8); box-shadow: 0 30px 80px rgb(0 0 0 / 0.5) }
  .bar { height: 16px; margin-top: 40px; background: #ff7a3d; transform-origin: left }
</style>
<div class="card" id="card">Frame by frame<div class="bar" id="bar"></div></div>
<script>
  const [card, bar] = [document.getElementById('card'), document.getElementById('bar')]
  const show = (t) => {
    card.style.transform = 'translateY(' + 200 * Math.cos(t * 2) + 'px) rotate(' + 4 * Math.sin(t * 3) + 'deg)'
    bar.style.transform = 'scaleX(' + t / ${seconds} + ')'
  }
  let now = 0
  const timeline = {
    duration: () => ${seconds}, totalDuration: () => ${seconds}, paused: () => true,
    pause() { return timeline }, play() { return timeline }, time: (t) => (t === undefined ? now : timeline.seek(t)),
    totalTime(t) { if (t === undefined) return now; now = t; show(t); return timeline },
    seek(t) { return timeline.totalTime(t) },
  }
  window.__timelines = { main: timeline }
</script>`
const canvas = `data-composition-id="main" data-width="${width}" data-height="${height}" data-start="0" data-duration="${seconds}"`
const particle = `<template><div class="root" ${canvas}>${content}</div></template>`
const page = `<!doctype html><html><head><meta charset="utf-8"></head><body><div class="root" id="main" ${canvas}>${content}</div></body></html>`

const folder = await mkdtemp(join(tmpdir(), 'bench-html-render-'))
try {
  await compare()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compare(): Promise<void> {
  const base = await solidColour(
    join(folder, 'base.mkv'),
    { width, height, seconds, rate: String(fps) },
    '0x102030',
  )
  const hasPeer = peer !== undefined && (await isInstalled(peer))
  if (!hasPeer)
    console.log(
      'hyperframes is not installed. Run npm install hyperframes in a folder, and pass that folder.',
    )
  const [ours, peerRuns] = await abba(
    rounds,
    () => measure(() => runOurs(base), withBrowsers),
    async () => (hasPeer ? [await measure(() => runPeer(peer), withBrowsers)] : []),
  )
  const frames = fps * seconds
  console.log(`ours: ${formatFigures(ours, frames)}; estimated ${await estimate(base)} s`)
  if (!hasPeer) return
  console.log(`hyperframes: ${formatFigures(peerRuns.flat(), frames)}`)
  const ratio = summary(peerRuns.flat()).seconds / summary(ours).seconds
  console.log(`ours is ${ratio.toFixed(2)} times as fast`)
}

async function isInstalled(peerFolder: string): Promise<boolean> {
  return access(join(peerFolder, 'node_modules/hyperframes/package.json')).then(
    () => true,
    () => false,
  )
}

function htmlRequest(base: string) {
  return htmlRenderSimple.input.parse({
    composition: {
      video_size: { width, height },
      fps,
      assets: { file_id: { base: base.slice(-64) } },
      tracks: [{ type: 'video', asset: 'base', track_index: 0, start: 0 }],
      beats: [{ start: 0, duration: seconds, track_index: 1, html: particle }],
    },
  })
}

async function estimate(base: string): Promise<number> {
  return plan(htmlRequest(base), await stageFiles([base])).seconds
}

async function runOurs(base: string): Promise<void> {
  const scratch = join(folder, 'ours')
  await mkdir(scratch, { recursive: true })
  await run(htmlRequest(base), createTestContext(await stageFiles([base]), scratch).context)
}

async function runPeer(peerFolder: string): Promise<void> {
  const project = join(folder, 'peer')
  await mkdir(project, { recursive: true })
  await writeFile(join(project, 'index.html'), page)
  const cli = join(peerFolder, 'node_modules/.bin/hyperframes')
  const output = join(folder, 'peer.mp4')
  const args = [
    ...['render', project, '--output', output, '--fps', String(fps), '--crf', '18', '--quiet'],
    ...['--workers', '2', '--no-low-memory-mode', '--no-browser-gpu'],
  ]
  const env = { ...process.env, PRODUCER_HEADLESS_SHELL_PATH: locateChromium(), DO_NOT_TRACK: '1' }
  const child = spawn(cli, args, { stdio: ['ignore', 'ignore', 'inherit'], env })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`hyperframes exited with ${code}`)
}

/**
 * Memory of all descendants of this process, MiB. Uses proportional sizes (PSS), because browsers share memory. 0 without
 * /proc.
 */
async function residentOfDescendants(): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc').catch(() => [])) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === process.pid || isDescendant(parent))
  }
  const sizes = [...parents.keys()].filter(isDescendant).map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    return Number(/Pss:\s+(\d+)/.exec(rollup)?.[1] ?? 0) / 1024
  })
  return Math.round((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0))
}

function formatFigures(all: readonly Measured[], frames: number): string {
  const { seconds: middle, peakMiB } = summary(all)
  return `${middle.toFixed(2)} s, ${((middle / frames) * 1000).toFixed(0)} ms per frame, peak ${peakMiB} MiB`
}

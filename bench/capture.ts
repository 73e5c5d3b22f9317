import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureFrames } from '../src/engines/chromium/capture.ts'
import { setSearchPath } from '../src/platform/environment.ts'
import type { CaptureMethod } from '../src/engines/chromium/painter.ts'

// Frames per second captured by the HTML engine, including browser start-up, for a page with moving text, shadows and
// gradients, by method, size and number of browsers.
// npm run bench -- capture [frames]

const frames = Number(process.argv[2] ?? 120)
const fps = 30
setSearchPath(process.env['PATH'])

const html = `<template data-composition-id="bench" data-width="1080" data-height="1920">
<style>
  .card { position: absolute; left: 10%; width: 80%; height: 9%; border-radius: 24px; color: #fff;
    font: 700 48px sans-serif; background: linear-gradient(90deg, #f06, #06f8); box-shadow: 0 8px 24px #0008 }
</style>
${Array.from({ length: 6 }, (_, index) => `<div class="card" style="top:${10 + index * 13}%">Reelwright ${index} 春眠</div>`).join('\n')}
<script>
  const cards = [...document.querySelectorAll('.card')]
  window.__timelines = { bench: { duration: () => 60, seek: (t) => cards.forEach((card, index) => {
    card.style.transform = 'translateX(' + Math.sin(t * 2 + index) * 80 + 'px) rotate(' + Math.sin(t + index) * 4 + 'deg)'
    card.style.opacity = String(0.6 + 0.4 * Math.sin(t * 3 + index))
  }) } }
</script></template>`

for (const [width, height] of [
  [1280, 720],
  [1080, 1920],
] as const) {
  for (const method of ['begin-frame', 'screenshot'] as const) {
    for (const threads of [1, 2]) await measureSetting({ width, height, method, threads })
  }
}

interface Setting {
  readonly width: number
  readonly height: number
  readonly method: CaptureMethod
  readonly threads: number
}

async function measureSetting(setting: Setting): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'bench-capture-'))
  const { width, height, method, threads } = setting
  const particle = { name: 'bench', html, compositionId: 'bench', width, height, zIndex: 0, opaque: false }
  const particles = [{ ...particle, start: 0, duration: frames / fps }]
  const { signal } = new AbortController()
  const began = performance.now()
  let first: number | undefined
  let bytes = 0
  try {
    for await (const { png } of captureFrames({ ...setting, particles, fps, frames, scratch, signal })) {
      first ??= performance.now()
      bytes += png.length
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${width}x${height} ${method}, ${threads} browsers: ${(frames / seconds).toFixed(1)} frames/s; first frames after ` +
      `${(((first ?? began) - began) / 1000).toFixed(2)} s; ${Math.round(bytes / frames / 1024)} KiB per frame`,
  )
}

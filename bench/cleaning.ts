import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas, ImageData, type Canvas } from '@napi-rs/canvas'
import { probe } from '../src/engines/ffmpeg/probe.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { detectText } from '../src/engines/vision/detect-text.ts'
import { ffmpeg, rgb } from '../test/video-split-screen/media.ts'
import { purify } from '../test/video-purify/run-purify.ts'
import { cleaningCases, type CleaningCase } from './cleaning-cases.ts'
import { compareWithClean, countRemainingText, pictureSize } from './cleaning-measures.ts'
import type { Size } from '../src/media/geometry.ts'

// Detects text in known footage, removes it, and detects text again at 1 and 1.5 times the size, in ten cases. Reports
// luma PSNR after encoding: against the clean footage inside the treated regions (before and after cleaning) and against
// the source outside of them; and the file size relative to the source. Writes a picture of each case: before, after,
// and the difference from the clean footage, amplified four times.
// npm run bench -- cleaning <folder of test data> <picture.png> [part of a case's name]

const [testdata = '', picture = '', only = ''] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-cleaning-'))
process.env['ORT_DISABLE_TELEMETRY'] = '1'
configurePacks({
  ...{ folder: join(folder, 'packs'), automatic: true, own: {}, manifest },
  mirror: join(testdata, 'models'),
})

const cases = cleaningCases(testdata, folder)
const strip = { width: 426, height: 240 }
const sheet = createCanvas(3 * strip.width, cases.length * (strip.height + 18))
const context = sheet.getContext('2d')

try {
  console.log('| case | regions | dB inside before | after | dB outside | size | remaining text | at 1.5 |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
  const selected = cases.filter(({ name }) => name.includes(only))
  if (selected.length === 0)
    throw new Error(`No case contains "${only}". Cases: ${cases.map(({ name }) => name).join('; ')}`)
  for (const [index, one] of selected.entries()) await runCase(one, index)
} finally {
  await rm(folder, { recursive: true, force: true })
}
if (picture !== '') await writeFile(picture, sheet.toBuffer('image/png'))

async function runCase({ name, method, create }: CleaningCase, index: number): Promise<void> {
  const [clean, source] = [join(folder, 'clean.mp4'), join(folder, 'source.mp4')]
  await create(clean, source)
  const { regions: found } = await detectText(source, await probe(source), { threads: 2 })
  const { path } = await purify(source, folder, {
    ...{ purify_scope: 'region', purify_func_type: method },
    regions: found.map(({ x, y, w, h, start, end }) => ({ x, y, w, h, start, end })),
  })
  const size = await pictureSize(source)
  const { psnr, frame } = await compareWithClean({ clean, source, result: path, regions: found, size })
  const pictures = await Promise.all([clean, source, path].map((video) => rgb(video, frame)))
  drawRow(pictures, size, { row: index, name })
  const enlarged = join(folder, 'larger.mp4')
  await ffmpeg('-i', path, '-vf', 'scale=trunc(iw*0.75)*2:-2', '-preset', 'ultrafast', '-crf', '12', enlarged)
  const left = await Promise.all([path, enlarged].map((result) => countRemainingText(result, found)))
  const bytes = await Promise.all([path, source].map(async (file) => (await stat(file)).size))
  console.log(
    `| ${[name, found.length, ...psnr, ((bytes[0] ?? 0) / (bytes[1] ?? 1)).toFixed(2), ...left].join(' | ')} |`,
  )
}

/** Draws before, after and the difference, red, green and blue, side by side. */
function drawRow(
  [clean, before, after]: readonly Uint8Array[],
  size: Size,
  { row, name }: { row: number; name: string },
): void {
  const top = row * (strip.height + 18)
  context.fillStyle = '#111'
  context.fillRect(0, top, sheet.width, strip.height + 18)
  context.fillStyle = '#ddd'
  context.font = '13px sans-serif'
  context.fillText(name, 6, top + 13)
  const difference = after?.map((value, at) => Math.min(255, 4 * Math.abs(value - (clean?.[at] ?? 0))))
  const scale = Math.min(strip.width / size.width, strip.height / size.height)
  for (const [column, pixels] of [before, after, difference].entries()) {
    const left = column * strip.width + (strip.width - size.width * scale) / 2
    if (pixels)
      context.drawImage(canvasOf(pixels, size), left, top + 18, size.width * scale, size.height * scale)
  }
}

function canvasOf(pixels: Uint8Array, { width, height }: Size): Canvas {
  const image = new ImageData(width, height)
  for (let at = 0; at < width * height; at += 1) {
    image.data.set([...pixels.subarray(3 * at, 3 * at + 3), 255], 4 * at)
  }
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').putImageData(image, 0, 0)
  return canvas
}

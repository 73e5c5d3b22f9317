import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { locateFfmpeg } from '../src/engines/ffmpeg/locate.ts'
import { loadOpenCv } from '../src/engines/opencv/load.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { setPacks } from '../src/engines/packs/use.ts'
import { rgbOf, yuvOf } from '../src/engines/vision/picture-tensor.ts'
import { blur } from '../src/media/clean/blur.ts'
import { makeInpainter } from '../src/media/clean/inpaint/inpainter.ts'
import { grown } from '../src/media/clean/inpaint/masks.ts'
import { cropOf, pictureOf } from '../src/media/clean/inpaint/made-picture.ts'
import { cutOut } from '../src/media/clean/inpaint/view.ts'
import type { Frame, Patch, Treat } from '../src/media/clean/patch.ts'
import { fidelityOf } from '../test/footage/fidelity.ts'
import { logo, movingText, subtitles, type Overlay } from '../test/footage/overlay.ts'
import { makeScene, shots, type Scene, type ShotName } from '../test/footage/scene.ts'

// PSNR of brightness inside the masks against the clean footage, over all frames and of the worst, how much the error
// changes from frame to frame, and this process's processor time a frame: ours, blur, ffmpeg's delogo (whose work is
// another process's), OpenCV's Telea and Navier-Stokes.
// node bench/inpainting.ts [width] [frames] [part of a case's name]

const width = Number(process.argv[2] ?? 1280)
const count = Number(process.argv[3] ?? 60)
const only = process.argv[4] ?? ''
const size = { width, height: Math.round((width * 9) / 32) * 2 }

setPacks({ folder: tmpdir(), automatic: false, own: {}, manifest })
const { cv } = await loadOpenCv()
const ffmpeg = await locateFfmpeg()

const overlays = {
  subtitles: (scene: Scene) => subtitles(scene),
  logo: (scene: Scene) => logo(scene),
  watermark: (scene: Scene) => logo(scene, { strength: 0.35 }),
  'moving text': (scene: Scene) => movingText(scene),
}

for (const shot of Object.keys(shots) as ShotName[]) {
  for (const [name, lay] of Object.entries(overlays)) {
    const title = `${shot}, ${name}`
    if (!title.includes(only) || (name !== 'subtitles' && only === '' && shot === 'fade')) continue
    const scene = makeScene(shot, { ...size, count })
    const overlay = lay(scene)
    console.log(title)
    await row('ours', makeInpainter(size), { scene, overlay })
    await row('blur', blur, { scene, overlay })
    await row('delogo', delogo, { scene, overlay })
    await row('Telea', byOpenCv(cv.INPAINT_TELEA), { scene, overlay })
    await row('NS', byOpenCv(cv.INPAINT_NS), { scene, overlay })
  }
}

async function row(
  name: string,
  treat: Treat,
  { scene, overlay }: { scene: Scene; overlay: Overlay },
): Promise<void> {
  const spent = { micros: 0 }
  const { psnr, worst, flicker } = await fidelityOf(scene, overlay, timed(treat, spent))
  const figures = [psnr, worst, flicker].map((value) => value.toFixed(1).padStart(6)).join(' ')
  console.log(
    `  ${name.padEnd(8)}${figures}  ${(spent.micros / 1000 / scene.count).toFixed(1).padStart(7)} ms`,
  )
}

/** Counts processor time while the treatment has the word. */
function timed(treat: Treat, spent: { micros: number }): Treat {
  return async function* (frames, given) {
    const before = process.cpuUsage()
    yield* treat(frames, given)
    const { user, system } = process.cpuUsage(before)
    spent.micros = user + system
  }
}

/** Each patch by ffmpeg's filter, on frames of its own. */
async function* delogo(...[frames, { first, patchesAt }]: Parameters<Treat>): AsyncGenerator<Frame> {
  let index = first
  for await (const frame of frames) {
    const filters = patchesAt(index).map(
      ({ x, y, width: w, height: h }: Patch) => `delogo=${x}:${y}:${w}:${h}`,
    )
    yield filters.length === 0 ? frame : { ...frame, bytes: await filtered(frame, filters.join(',')) }
    index += 1
  }
}

function filtered({ width: w, height: h, bytes }: Frame, filters: string): Promise<Uint8Array> {
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p']
  const child = spawn(ffmpeg.ffmpeg, [
    '-v',
    'error',
    ...raw,
    '-s',
    `${w}x${h}`,
    '-i',
    '-',
    '-vf',
    filters,
    ...raw,
    '-',
  ])
  child.stdin.end(bytes)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Each frame by itself, on what lies around its patches. */
function byOpenCv(method: number): Treat {
  return async function* (frames, { first, patchesAt }) {
    let index = first
    for await (const frame of frames) {
      for (const patch of patchesAt(index)) fill(frame, patch, method)
      yield frame
      index += 1
    }
  }
}

function fill(frame: Frame, patch: Patch, method: number): void {
  const area = grown(patch, { x: 24, y: 24 }, frame)
  const picture = pictureOf(cutOut(frame, area, [patch]), new Uint8Array(area.width * area.height))
  const [image, mask, filled] = [
    cv.matFromArray(area.height, area.width, cv.CV_8UC3, rgbOf(picture.pixels)),
    cv.matFromArray(area.height, area.width, cv.CV_8UC1, cutOut(frame, area, [patch]).hidden),
    new cv.Mat(),
  ]
  cv.inpaint(image, mask, filled, 3, method)
  const crop = cropOf({ ...picture, pixels: yuvOf(filled.data) }, area)
  for (const mat of [image, mask, filled]) mat.delete()
  for (let line = 0; line < patch.height; line += 1) {
    const from = (patch.y + line - area.y) * area.width + patch.x - area.x
    frame.bytes.set(crop.data.subarray(from, from + patch.width), (patch.y + line) * frame.width + patch.x)
  }
}

import { execFile, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
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
// another process's), OpenCV's Telea and Navier-Stokes. Without a width both sizes at once, each on a core.
// node bench/inpainting.ts [width] [frames] [part of a case's name]

const sizes = [1280, 1920]
const [wanted, count = '36', only = ''] = process.argv.slice(2)

setPacks({ folder: tmpdir(), automatic: false, own: {}, manifest })
const { cv } = await loadOpenCv()
const ffmpeg = await locateFfmpeg()

const overlays = {
  subtitles: (scene: Scene) => subtitles(scene),
  logo: (scene: Scene) => logo(scene),
  watermark: (scene: Scene) => logo(scene, { strength: 0.35 }),
  'moving text': (scene: Scene) => movingText(scene),
}
/** Cameras that all overlays are laid over; the others have subtitles alone. */
const usual: readonly ShotName[] = ['static', 'slow pan', 'hand-held']

if (wanted === undefined) for (const table of await Promise.all(sizes.map(tableOf))) console.log(table)
else await benchAt(Number(wanted))

/** What another process of this program tells of a size. */
async function tableOf(width: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    import.meta.filename,
    ...[String(width), count],
  ])
  return stdout
}

async function benchAt(width: number): Promise<void> {
  const film = { width, height: Math.round((width * 9) / 32) * 2, fps: 25 }
  console.log(`${film.width}x${film.height}, ${count} frames: dB, dB of the worst, levels of flicker`)
  for (const shot of Object.keys(shots) as ShotName[]) {
    const scene = drawnOnce(makeScene(shot, { ...film, count: Number(count) }))
    for (const [name, lay] of Object.entries(overlays)) {
      const title = `${shot}, ${name}`
      if (!title.includes(only) || (name !== 'subtitles' && !usual.includes(shot))) continue
      const overlay = lay(scene)
      console.log(title)
      await row('ours', makeInpainter(film), { scene, overlay })
      await row('blur', blur, { scene, overlay })
      await row('delogo', delogo, { scene, overlay })
      await row('Telea', byOpenCv(cv.INPAINT_TELEA), { scene, overlay })
      await row('NS', byOpenCv(cv.INPAINT_NS), { scene, overlay })
    }
  }
}

/** To draw a large frame takes longer than to treat it. */
function drawnOnce(scene: Scene): Scene {
  const drawn = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  const frameAt = (index: number) => {
    const { bytes, ...size } = drawn[index] ?? scene.frameAt(index)
    return { ...size, bytes: bytes.slice() }
  }
  return { ...scene, frameAt }
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

/** Each patch by ffmpeg's filter, frames with the same patches together. */
async function* delogo(...[given, { first, patchesAt }]: Parameters<Treat>): AsyncGenerator<Frame> {
  let index = first
  let alike: Frame[] = []
  for await (const frame of given) {
    if (alike.length > 0 && patchesAt(index) !== patchesAt(index - 1)) {
      yield* await filtered(alike, patchesAt(index - 1))
      alike = []
    }
    alike.push(frame)
    index += 1
  }
  yield* await filtered(alike, patchesAt(index - 1))
}

async function filtered(alike: readonly Frame[], patches: readonly Patch[]): Promise<readonly Frame[]> {
  const [frame] = alike
  if (!frame || patches.length === 0) return alike
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p']
  const filters = patches.map(({ x, y, width: w, height: h }) => `delogo=${x}:${y}:${w}:${h}`).join(',')
  const size = `${frame.width}x${frame.height}`
  const args = ['-v', 'error', ...raw, '-s', size, '-i', '-', '-vf', filters, ...raw, '-']
  const child = spawn(ffmpeg.ffmpeg, args)
  child.stdin.end(Buffer.concat(alike.map(({ bytes }) => bytes)))
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const all = Buffer.concat(chunks)
  const length = frame.bytes.length
  return alike.map((one, at) => ({ ...one, bytes: all.subarray(at * length, (at + 1) * length) }))
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
  const crop = cropOf({ ...picture, pixels: yuvOf(filled.data) }, area, picture.hole)
  for (const mat of [image, mask, filled]) mat.delete()
  for (let line = 0; line < patch.height; line += 1) {
    const from = (patch.y + line - area.y) * area.width + patch.x - area.x
    frame.bytes.set(crop.data.subarray(from, from + patch.width), (patch.y + line) * frame.width + patch.x)
  }
}

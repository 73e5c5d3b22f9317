import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { blur } from '../src/media/clean/blur.ts'
import { createInpainter } from '../src/media/clean/inpaint/inpainter.ts'
import { findOverlay, OverlayLearner } from '../src/media/clean/inpaint/overlay.ts'
import type { FrameFormat } from '../src/media/clean/inpaint/timebase.ts'
import type { FrameTreatment } from '../src/media/clean/frame.ts'
import { measureFidelity } from '../test/footage/fidelity.ts'
import { logo, movingText, subtitles, type Overlay } from '../test/footage/overlay.ts'
import { plainBlur } from '../test/footage/plain-blur.ts'
import { makeScene, shots, type Scene, type ShotName } from '../test/footage/scene.ts'
import { openCvInpainter, delogo } from './reference-inpainters.ts'

// PSNR of brightness inside the masks against the clean footage, over all frames and of the worst, how much the error
// changes from frame to frame, and this process's processor time a frame: ours, our blur, a plain one, ffmpeg's delogo
// (whose work is another process's), OpenCV's Telea and Navier-Stokes. Without a width both sizes at once, each on a
// core.
// npm run bench -- inpainting [width] [frames] [part of a case's name]

const sizes = [1280, 1920]
const [wanted, count = '36', only = ''] = process.argv.slice(2)

configurePacks({ folder: tmpdir(), automatic: false, own: {}, manifest })

const overlays = {
  subtitles: (scene: Scene) => subtitles(scene),
  logo: (scene: Scene) => logo(scene),
  watermark: (scene: Scene) => logo(scene, { strength: 0.35 }),
  'moving text': (scene: Scene) => movingText(scene),
}
/** One frame of so many is looked at for what is laid over the scene: it is short. */
const sampledStep = 3

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
      await row('ours', ours(film, { scene, overlay }), { scene, overlay })
      await row('blur', blur, { scene, overlay })
      await row('plain', plainBlur, { scene, overlay })
      await row('delogo', delogo, { scene, overlay })
      await row('Telea', await openCvInpainter('INPAINT_TELEA'), { scene, overlay })
      await row('NS', await openCvInpainter('INPAINT_NS'), { scene, overlay })
    }
  }
}

/** What is laid over all of the scene is learned beforehand, as video_purify does. */
function ours(film: FrameFormat, { scene, overlay }: { scene: Scene; overlay: Overlay }): FrameTreatment {
  const seen = new OverlayLearner(film)
  const sampled = Array.from({ length: Math.ceil(scene.count / sampledStep) }, (_, at) => at * sampledStep)
  for (const index of sampled) seen.countPatches(overlay.patchesAt(index))
  for (const index of seen.hasCandidates ? sampled : []) {
    const frame = scene.frameAt(index)
    overlay.draw(frame, index)
    seen.sample(frame, overlay.patchesAt(index))
  }
  const { overlays: known } = seen
  const fill = createInpainter(film)
  return (frames, given) => fill(frames, { ...given, overlayOf: (patch) => findOverlay(known, patch) })
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
  treat: FrameTreatment,
  { scene, overlay }: { scene: Scene; overlay: Overlay },
): Promise<void> {
  const spent = { micros: 0 }
  const { psnr, worst, flicker } = await measureFidelity(scene, overlay, timed(treat, spent))
  const figures = [psnr, worst, flicker].map((value) => value.toFixed(1).padStart(6)).join(' ')
  console.log(
    `  ${name.padEnd(8)}${figures}  ${(spent.micros / 1000 / scene.count).toFixed(1).padStart(7)} ms`,
  )
}

/** Counts the processor time of a treatment, without that of the frames that it is given. */
function timed(treat: FrameTreatment, spent: { micros: number }): FrameTreatment {
  async function* counted<T>(items: AsyncIterable<T>, sign: 1 | -1): AsyncGenerator<T> {
    const all = items[Symbol.asyncIterator]()
    for (;;) {
      const before = process.cpuUsage()
      const next = await all.next()
      const { user, system } = process.cpuUsage(before)
      spent.micros += sign * (user + system)
      if (next.done === true) return
      yield next.value
    }
  }
  return (frames, given) => counted(treat(counted(frames, -1), given), 1)
}

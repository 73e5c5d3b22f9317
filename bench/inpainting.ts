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
import { createScene, shots, type Scene, type ShotName } from '../test/footage/scene.ts'
import { openCvInpainter, delogo } from './reference-inpainters.ts'

// Luma PSNR inside the masks against the clean footage (all frames, and the worst), flicker of the error, and processor
// time of this process per frame: our inpainting, our blur, a plain blur, ffmpeg's delogo (which works in another
// process), and OpenCV's Telea and Navier-Stokes. Without a width, runs both sizes in parallel.
// npm run bench -- inpainting [width] [frames] [part of a case's name]

const sizes = [1280, 1920]
const [widthArg, count = '36', only = ''] = process.argv.slice(2)

configurePacks({ folder: tmpdir(), automatic: false, own: {}, manifest })

const overlays = {
  subtitles: (scene: Scene) => subtitles(scene),
  logo: (scene: Scene) => logo(scene),
  watermark: (scene: Scene) => logo(scene, { strength: 0.35 }),
  'moving text': (scene: Scene) => movingText(scene),
}
/** Every third frame is sampled to learn overlays, because scenes are short. */
const sampleInterval = 3

/** Shots tested with all overlays. Other shots are tested with subtitles only. */
const mainShots: readonly ShotName[] = ['static', 'slow pan', 'hand-held']

if (widthArg === undefined) for (const table of await Promise.all(sizes.map(tableOf))) console.log(table)
else await runWidth(Number(widthArg))

/** Runs one width in a child process. Returns its output. */
async function tableOf(width: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    import.meta.filename,
    ...[String(width), count],
  ])
  return stdout
}

async function runWidth(width: number): Promise<void> {
  const film = { width, height: Math.round((width * 9) / 32) * 2, fps: 25 }
  console.log(`${film.width}x${film.height}, ${count} frames: dB, dB of the worst frame, flicker in levels`)
  for (const shot of Object.keys(shots) as ShotName[]) {
    const scene = cacheFrames(createScene(shot, { ...film, count: Number(count) }))
    for (const [name, createOverlay] of Object.entries(overlays)) {
      const title = `${shot}, ${name}`
      if (!title.includes(only) || (name !== 'subtitles' && !mainShots.includes(shot))) continue
      const overlay = createOverlay(scene)
      console.log(title)
      await row('ours', inpaintWithOverlay(film, { scene, overlay }), { scene, overlay })
      await row('blur', blur, { scene, overlay })
      await row('plain', plainBlur, { scene, overlay })
      await row('delogo', delogo, { scene, overlay })
      await row('Telea', await openCvInpainter('INPAINT_TELEA'), { scene, overlay })
      await row('NS', await openCvInpainter('INPAINT_NS'), { scene, overlay })
    }
  }
}

/** Learns permanent overlays beforehand, like video_purify. */
function inpaintWithOverlay(
  film: FrameFormat,
  { scene, overlay }: { scene: Scene; overlay: Overlay },
): FrameTreatment {
  const learner = new OverlayLearner(film)
  const sampled = Array.from(
    { length: Math.ceil(scene.count / sampleInterval) },
    (_, at) => at * sampleInterval,
  )
  for (const index of sampled) learner.countPatches(overlay.patchesAt(index))
  for (const index of learner.hasCandidates ? sampled : []) {
    const frame = scene.frameAt(index)
    overlay.draw(frame, index)
    learner.sample(frame, overlay.patchesAt(index))
  }
  const { overlays: known } = learner
  const fill = createInpainter(film)
  return (frames, context) => fill(frames, { ...context, overlayOf: (patch) => findOverlay(known, patch) })
}

/** Caches the frames, because drawing a large frame takes longer than treating it. */
function cacheFrames(scene: Scene): Scene {
  const frames = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  const frameAt = (index: number) => {
    const { bytes, ...size } = frames[index] ?? scene.frameAt(index)
    return { ...size, bytes: bytes.slice() }
  }
  return { ...scene, frameAt }
}

async function row(
  name: string,
  treatment: FrameTreatment,
  { scene, overlay }: { scene: Scene; overlay: Overlay },
): Promise<void> {
  const processorTime = { micros: 0 }
  const { psnr, worst, flicker } = await measureFidelity(
    scene,
    overlay,
    measureTreatment(treatment, processorTime),
  )
  const figures = [psnr, worst, flicker].map((value) => value.toFixed(1).padStart(6)).join(' ')
  console.log(
    `  ${name.padEnd(8)}${figures}  ${(processorTime.micros / 1000 / scene.count).toFixed(1).padStart(7)} ms`,
  )
}

/** Measures the processor time of a treatment, excluding the time to produce its input frames. */
function measureTreatment(treatment: FrameTreatment, processorTime: { micros: number }): FrameTreatment {
  async function* countTime<T>(items: AsyncIterable<T>, sign: 1 | -1): AsyncGenerator<T> {
    const all = items[Symbol.asyncIterator]()
    for (;;) {
      const before = process.cpuUsage()
      const next = await all.next()
      const { user, system } = process.cpuUsage(before)
      processorTime.micros += sign * (user + system)
      if (next.done === true) return
      yield next.value
    }
  }
  return (frames, context) => countTime(treatment(countTime(frames, -1), context), 1)
}

import { spawn } from 'node:child_process'
import { locateFfmpeg } from '../src/engines/ffmpeg/locate.ts'
import { loadOpenCv } from '../src/engines/opencv/load.ts'
import { yuvToRgb, rgbToYuv } from '../src/engines/vision/image-tensor.ts'
import { growRect } from '../src/media/clean/inpaint/hidden-mask.ts'
import { imageToCrop, cropToImage } from '../src/media/clean/inpaint/holed-image.ts'
import { cropFrame } from '../src/media/clean/inpaint/view.ts'
import type { Frame, Patch, FrameTreatment } from '../src/media/clean/frame.ts'

/** Fills each patch by ffmpeg's filter, grouping frames with the same patches. */
export async function* delogo(
  ...[frames, { first, patchesAt }]: Parameters<FrameTreatment>
): AsyncGenerator<Frame> {
  let index = first
  let group: Frame[] = []
  for await (const frame of frames) {
    if (group.length > 0 && patchesAt(index) !== patchesAt(index - 1)) {
      yield* await filtered(group, patchesAt(index - 1))
      group = []
    }
    group.push(frame)
    index += 1
  }
  yield* await filtered(group, patchesAt(index - 1))
}

async function filtered(group: readonly Frame[], patches: readonly Patch[]): Promise<readonly Frame[]> {
  const [frame] = group
  if (!frame || patches.length === 0) return group
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p']
  const filters = patches.map(({ x, y, width: w, height: h }) => `delogo=${x}:${y}:${w}:${h}`).join(',')
  const size = `${frame.width}x${frame.height}`
  const args = ['-v', 'error', ...raw, '-s', size, '-i', '-', '-vf', filters, ...raw, '-']
  const { ffmpeg } = await locateFfmpeg()
  const child = spawn(ffmpeg, args)
  child.stdin.end(Buffer.concat(group.map(({ bytes }) => bytes)))
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const all = Buffer.concat(chunks)
  const length = frame.bytes.length
  return group.map((one, at) => ({ ...one, bytes: all.subarray(at * length, (at + 1) * length) }))
}

/** OpenCV, for inpainting. */
type Cv = Awaited<ReturnType<typeof loadOpenCv>>['cv']

/** Inpaints each frame on its own, with the surroundings of its patches. */
export async function openCvInpainter(name: 'INPAINT_TELEA' | 'INPAINT_NS'): Promise<FrameTreatment> {
  const { cv } = await loadOpenCv()
  return async function* (frames, { first, patchesAt }) {
    let index = first
    for await (const frame of frames) {
      for (const patch of patchesAt(index)) fill(frame, patch, { cv, method: cv[name] })
      yield frame
      index += 1
    }
  }
}

function fill(frame: Frame, patch: Patch, { cv, method }: { cv: Cv; method: number }): void {
  const area = growRect(patch, { x: 24, y: 24 }, frame)
  const picture = cropToImage(cropFrame(frame, area, [patch]), new Uint8Array(area.width * area.height))
  const [image, mask, filled] = [
    cv.matFromArray(area.height, area.width, cv.CV_8UC3, yuvToRgb(picture.pixels, 'limited')),
    cv.matFromArray(area.height, area.width, cv.CV_8UC1, cropFrame(frame, area, [patch]).hidden),
    new cv.Mat(),
  ]
  cv.inpaint(image, mask, filled, 3, method)
  const crop = imageToCrop({ ...picture, pixels: rgbToYuv(filled.data, 'limited') }, area, picture.hole)
  for (const mat of [image, mask, filled]) mat.delete()
  for (let line = 0; line < patch.height; line += 1) {
    const from = (patch.y + line - area.y) * area.width + patch.x - area.x
    frame.bytes.set(crop.data.subarray(from, from + patch.width), (patch.y + line) * frame.width + patch.x)
  }
}

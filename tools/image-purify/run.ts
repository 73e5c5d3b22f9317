import { constants, copyFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunOperation } from '../../src/contract/operation.ts'
import { rethrowWithRegionsHint } from '../../src/contract/regions.ts'
import { stillPicture } from '../../src/engines/ffmpeg/read-frames.ts'
import { detectTextInImage } from '../../src/engines/vision/detect-text-in-image.ts'
import { openLearnedModels } from '../../src/engines/vision/learned-models.ts'
import { fillStill } from '../../src/media/clean/inpaint/fill-still.ts'
import type { Patch } from '../../src/media/clean/frame.ts'
import { stillPatches } from '../../src/media/clean/masks.ts'
import type { Size } from '../../src/media/geometry.ts'
import type { imagePurify } from './contract.ts'
import { copyColourProfile, encodeStill } from './encode.ts'
import { imageFormat } from './image-format.ts'
import { checkCleanedImage } from './plan.ts'

/** Detects text or takes the given boxes, and fills them from their surroundings. */
export const run: RunOperation<typeof imagePurify> = async (input, context) => {
  const file = context.files.get(input.file_id)
  const { signal, scratch, threads } = context
  const video = checkCleanedImage(file)
  const found =
    input.purify_scope === 'full_screen' && file.facts
      ? await detectTextInImage(file.path, file.facts, { signal, threads }).catch(rethrowWithRegionsHint)
      : undefined
  const counts = found ? { regions_found: found.length } : {}
  context.progress(40)
  const { name, ext } = parse(file.name)
  if (found?.length === 0) {
    const path = join(scratch, `copy${ext}`)
    await copyFile(file.path, path, constants.COPYFILE_FICLONE)
    return {
      ...context.keep({ path, name: file.name }),
      ...counts,
      unchanged: true,
      notes: ['no text was found'],
    }
  }
  const { width, height } = video
  const bytes = await stillPicture(file.path, { video, width, height, signal })
  if (!bytes) throw new MediaError(6021, `${file.name}: the picture could not be decoded`)
  const still = { width, height, channels: 4 as const, bytes }
  await using learned = await openLearnedModels(threads, { packs: ['inpainting'] })
  const patches = stillPatches(found ?? input.regions ?? [], still)
  await fillStill(still, patches, learned.fill)
  context.progress(90)
  const format = imageFormat(file)
  const path = join(scratch, `clean${format.extension}`)
  await encodeStill(path, { still, format, signal })
  const left = await copyColourProfile(path, file.path)
  const notes = [
    ...(left === undefined ? [] : [left]),
    ...largePatchNotes(patches, still),
    ...(video.rotation === 0 ? [] : [`the picture was rotated upright (${video.rotation} degrees)`]),
    ...(/(?:10|12|14|16|48|64)(?:le|be)/.test(video.pixel_format)
      ? ['the image was converted to 8 bits per channel']
      : []),
  ]
  const short = [...name].slice(0, 60).join('')
  return {
    ...context.keep({ path, name: `${short}-clean${format.extension}` }),
    ...counts,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** Share of the picture from which a filled place is noted: a filling of this size shows. */
const noticeableShare = 0.15

/** Notes that a large place was filled, because its filling repeats what is around it. */
function largePatchNotes(patches: readonly Patch[], { width, height }: Size): string[] {
  const pixels = patches.map(({ mask }) => mask.reduce((sum, isFilled) => sum + isFilled, 0))
  const share = Math.max(0, ...pixels) / (width * height)
  if (share < noticeableShare) return []
  return [
    `${Math.round(share * 100)} % of the picture was filled in one place from what is around it, and may repeat parts of it, such as faces: look at the result. Images are not blurred or painted over`,
  ]
}

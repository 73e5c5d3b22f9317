import { creditsFor } from '../../src/contract/credits.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile, PlanOperation } from '../../src/contract/operation.ts'
import { checkStillImage } from '../../src/media/image/still-image.ts'
import { usualAspect } from '../../src/media/text/tiles.ts'
import { imagePurify } from './contract.ts'

/** Measured on two cores, in seconds: start, text detection in an image of usual aspect, and filling of one pixel. */
const imageThroughput = { start: 1, search: 1.5, fill: 20e-6 }

/** Limit of the detection time of long images, which are searched in tiles, relative to a usual one. */
const maxSearchFactor = 25

/** Checks that the file is a still image, and prices it. */
export const plan: PlanOperation<typeof imagePurify> = ({ file_id, purify_scope, regions = [] }, files) => {
  const { width, height } = checkCleanedImage(files.get(file_id))
  const share = purify_scope === 'region' ? regions.reduce((sum, { w, h }) => sum + w * h, 0) : 0.05
  const filling = imageThroughput.fill * Math.min(1, share) * width * height
  const longer = Math.max(width, height) / Math.min(width, height) / usualAspect
  const searching = imageThroughput.search * Math.max(1, Math.min(maxSearchFactor, longer))
  const seconds = imageThroughput.start + filling + (purify_scope === 'region' ? 0 : searching)
  return { credits: creditsFor(imagePurify.price, 1), seconds: Math.round(seconds * 10) / 10 }
}

/** Returns the picture of the image to clean. Throws 6014 for moving pictures and for files without a picture. */
export function checkCleanedImage(file: RequestFile): VideoFacts {
  return checkStillImage(file, { hint: 'Give a JPEG, PNG, WebP or BMP; video_purify cleans videos.' })
}

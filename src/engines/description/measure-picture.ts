import * as z from 'zod'
import type { VideoFacts } from '../../contract/media-facts.ts'
import type { Area } from '../../media/clean/region.ts'
import { type Bars, findBars } from '../../media/image/borders.ts'
import { isBlurred } from '../../media/image/sharpness.ts'
import type { PictureEvidence } from '../../media/image/usable-flags.ts'
import type { Luma } from '../../media/text/luma.ts'
import type { StepCache } from '../ffmpeg/step-cache.ts'
import { findTextInImage } from '../vision/detect-text-in-image.ts'
import type { TextDetector } from '../vision/frame-detector.ts'

/** A picture to measure. */
export interface MeasuredPicture {
  readonly path: string
  readonly video: VideoFacts
  /** A small copy, by `smallPicture`. */
  readonly luma: Luma
  /** Checksum of its file. */
  readonly checksum: string
}

const storedEvidence = z.object({ hasBorder: z.boolean(), isBlurred: z.boolean(), textLines: z.int().min(0) })

/** Measures a picture, once for all attempts of a task. */
export async function measurePicture(
  picture: MeasuredPicture,
  options: { readonly detector: TextDetector; readonly signal: AbortSignal; readonly cache: StepCache },
): Promise<PictureEvidence> {
  const measured = await options.cache.text('picture', [picture.checksum], async () =>
    JSON.stringify(await findEvidence(picture, options)),
  )
  return storedEvidence.parse(JSON.parse(measured))
}

/** Lines of letters up to which they may be laid over a picture. More are its subject, as on a screen or a page. */
const mostOverlaidLines = 12

async function findEvidence(
  { path, video, luma }: MeasuredPicture,
  { detector, signal }: { readonly detector: TextDetector; readonly signal: AbortSignal },
): Promise<PictureEvidence> {
  const lines = await findTextInImage(path, video, { detector, signal })
  const bars = findBars(luma)
  // Letters laid over a blurred picture are sharp, and so are the edges of bars.
  const additions = lines.length > mostOverlaidLines ? [] : lines
  const blurred = isBlurred(luma, [...additions, ...barAreas(bars, luma)])
  const hasBorder = Object.values(bars).some((width: number) => width > 0)
  return { hasBorder, isBlurred: blurred, textLines: lines.length }
}

function barAreas({ top, bottom, left, right }: Bars, { width, height }: Luma): Area[] {
  const areas = [
    { x: 0, y: 0, w: 1, h: top / height },
    { x: 0, y: 1 - bottom / height, w: 1, h: bottom / height },
    { x: 0, y: 0, w: left / width, h: 1 },
    { x: 1 - right / width, y: 0, w: right / width, h: 1 },
  ]
  return areas.filter(({ w, h }) => w > 0 && h > 0)
}

import type { VideoFacts } from '../../contract/media-facts.ts'
import type { Rect } from '../../media/geometry.ts'
import type { AxisFit } from '../../media/layout/canvas.ts'
import { scaleTo, toneMap } from './colour.ts'

/**
 * Returns the filters from a decoded, upright picture to the pixels that the fits of its axes show, in BT.709. HDR is
 * tone-mapped, transparency is kept.
 */
export function cropScaleFilters(
  video: VideoFacts,
  { x, y }: { readonly x: AxisFit; readonly y: AxisFit },
): string[] {
  // Only 4:4:4 chroma can be cropped at odd pixels.
  const needsFullChroma = x.offset % 2 === 1 || y.offset % 2 === 1
  const fullChroma = video.hdr ? 'yuv444p10' : `yuv${video.alpha ? 'a' : ''}444p`
  return [
    exactCrop({ x: x.start, y: y.start, width: x.cropped, height: y.cropped }),
    scaleTo(video, { width: x.scaled, height: y.scaled }),
    ...(needsFullChroma ? [`format=${fullChroma}`] : []),
    ...(x.scaled === x.shown && y.scaled === y.shown
      ? []
      : [exactCrop({ x: x.offset, y: y.offset, width: x.shown, height: y.shown })]),
    ...(video.hdr ? toneMap : []),
  ]
}

/** Returns the filter that crops at exact pixels, where ffmpeg would round to those of 4:2:0 chroma. */
export function exactCrop({ x, y, width, height }: Rect): string {
  return `crop=w=${width}:h=${height}:x=${x}:y=${y}:exact=1`
}

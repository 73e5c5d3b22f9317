import type { Point, Size } from '../../geometry.ts'
import type { ProjectClip } from './project.ts'

/** Where the whole picture of a clip is on the canvas: the form in which editors write a crop. */
export interface PicturePlacement {
  /** Pixels of the canvas per displayed pixel of the source. */
  readonly scale: Point
  /** Position of the picture's centre from the point that is at the centre of the canvas, displayed pixels of the source. */
  readonly shift: Point
}

/**
 * Returns the placement of a clip's picture: a crop fills the canvas, otherwise the whole picture is contained in it. A
 * crop that moves is placed as at its start; a split picture and a blurred copy have no form in projects. Returns undefined
 * for sound.
 */
export function picturePlacement(
  { material, framing }: ProjectClip,
  canvas: Size,
): PicturePlacement | undefined {
  const { picture } = material
  if (!picture) return undefined
  if (framing?.mode !== 'crop') {
    const scale = containedScale(picture, canvas)
    return { scale: { x: scale, y: scale }, shift: { x: 0, y: 0 } }
  }
  const { x, y, width, height } = framing.crop
  return {
    scale: { x: canvas.width / width, y: canvas.height / height },
    shift: { x: picture.width / 2 - (x + width / 2), y: picture.height / 2 - (y + height / 2) },
  }
}

/** Returns the largest scale at which a whole picture is inside the canvas. */
export function containedScale(picture: Size, canvas: Size): number {
  return Math.min(canvas.width / picture.width, canvas.height / picture.height)
}

/**
 * Returns the scale of a picture relative to the contained one, and the offset of its centre from the centre of the
 * canvas, pixels of the canvas, y downwards. Returns undefined for a picture that is contained and centred, which is how editors
 * show it without a transform, and for sound.
 */
export function fittedPlacement(
  clip: ProjectClip,
  canvas: Size,
): { readonly scale: Point; readonly offset: Point } | undefined {
  const { picture } = clip.material
  const placement = picturePlacement(clip, canvas)
  if (!picture || !placement || clip.framing?.mode !== 'crop') return undefined
  const { scale, shift } = placement
  const contained = containedScale(picture, canvas)
  return {
    scale: { x: scale.x / contained, y: scale.y / contained },
    offset: { x: shift.x * scale.x, y: shift.y * scale.y },
  }
}

/** Formats a number with up to six decimals, enough for a thousandth of a pixel as a share of a side. */
export function decimals(value: number): string {
  const text = value.toFixed(6).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}

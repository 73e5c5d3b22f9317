import type { Colour } from './raster.ts'

/** Behind everything in a preview: dark and neutral, so that the pictures stand out. */
export const background: Colour = [22, 24, 28]

/** In place of a frame that does not decode. */
export const emptyFrame: Colour = [36, 39, 45]

/** Digits of time codes. */
export const lettering: Colour = [222, 225, 230]

import type { Colour } from './raster.ts'

/** Behind everything in a preview: dark and neutral, so that the pictures stand out. */
export const background: Colour = [22, 24, 28]

/** In place of a frame that does not decode. */
export const emptyFrame: Colour = [36, 39, 45]

/** Digits of time codes. */
export const lettering: Colour = [222, 225, 230]

/** Around what is removed, and what is protected. */
export const removedTint: Colour = [255, 92, 72]
export const keptTint: Colour = [72, 224, 128]

/** Behind the names of regions, and beside their edges: so that they stand out from any picture. */
export const shade: Colour = [12, 13, 16]

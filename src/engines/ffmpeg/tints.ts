import type { RgbColour } from './raster.ts'

/** Behind everything in a preview: dark and neutral, so that the pictures stand out. */
export const sheetBackground: RgbColour = [22, 24, 28]

/** In place of a frame that does not decode. */
export const emptyCellTint: RgbColour = [36, 39, 45]

/** Digits of time codes. */
export const textTint: RgbColour = [222, 225, 230]

/** Around what is removed, and what is protected. */
export const removedTint: RgbColour = [255, 92, 72]
export const keptTint: RgbColour = [72, 224, 128]

/** Behind the names of regions, and beside their edges: so that they stand out from any picture. */
export const shadeTint: RgbColour = [12, 13, 16]

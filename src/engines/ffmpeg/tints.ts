import type { RgbColour } from './raster.ts'

/** Background of previews: dark and neutral, so that the pictures stand out. */
export const sheetBackground: RgbColour = [22, 24, 28]

/** Fill of a cell whose frame does not decode. */
export const emptyCellTint: RgbColour = [36, 39, 45]

/** Digits of time codes. */
export const textTint: RgbColour = [222, 225, 230]

/** Outlines of removed and of protected regions. */
export const removedTint: RgbColour = [255, 92, 72]
export const keptTint: RgbColour = [72, 224, 128]

/** Background of labels and outlines, for contrast with any picture. */
export const shadeTint: RgbColour = [12, 13, 16]

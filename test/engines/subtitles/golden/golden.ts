import { fileURLToPath } from 'node:url'
import { fillRect, newPicture } from '../../../../src/engines/ffmpeg/raster.ts'
import type { SubtitleStyleName } from '../../../../src/contract/subtitle-styles.ts'
import { burnPixels, presetAssFile, typefaceHere } from '../burn-pixels.ts'

/** The fonts that the accepted pictures were drawn with. */
export const goldenFonts = ['Droid Sans Fallback', 'DejaVu Sans', 'Liberation Sans'] as const

const canvas = { width: 480, height: 270 }

/** The picture of a preset that this machine draws. */
export async function drawGoldenPreset(
  preset: SubtitleStyleName,
): Promise<{ width: number; height: number; pixels: Uint8Array }> {
  const [typeface, english] = [await typefaceHere('zh-CN'), await typefaceHere('en-US')]
  const original = { text: 'Let us go to the sea this summer', typeface: english }
  const look = { preset, canvas, typeface, text: '今年夏天，我们去看海吧！', original }
  return { ...canvas, pixels: await burnPixels(halves(), presetAssFile(look)) }
}

/** Where the accepted picture of a preset is. */
export function goldenPresetFile(preset: SubtitleStyleName): string {
  return fileURLToPath(new URL(`${preset}.png`, import.meta.url))
}

/** A light half and a dark one, three bytes a pixel. */
function halves(): { width: number; height: number; pixels: Uint8Array } {
  const picture = newPicture(canvas.width, canvas.height, [206, 190, 170])
  fillRect(
    picture,
    { x: canvas.width / 2, y: 0, width: canvas.width / 2, height: canvas.height },
    [48, 62, 80],
  )
  return picture
}

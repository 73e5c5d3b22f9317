import { writeFile } from 'node:fs/promises'
import { createCanvas } from '@napi-rs/canvas'
import { subtitleStyleNames } from '../../../../src/contract/subtitle-styles.ts'
import { rgbaOf } from '../burn-pixels.ts'
import { drawGoldenPreset, goldenPresetFile } from './golden.ts'

// Draws the accepted pictures anew; look at them before they are kept.
// node test/engines/subtitles/golden/draw.ts

for (const preset of subtitleStyleNames) {
  const { width, height, pixels } = await drawGoldenPreset(preset)
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  const image = pen.createImageData(width, height)
  image.data.set(rgbaOf(pixels))
  pen.putImageData(image, 0, 0)
  await writeFile(goldenPresetFile(preset), await canvas.encode('png'))
}

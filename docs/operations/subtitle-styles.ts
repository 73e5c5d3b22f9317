import type { Size } from '../../src/media/geometry.ts'
import { writeFile } from 'node:fs/promises'
import { applyTextStyle, loadDrawing } from '../../src/engines/canvas/drawing.ts'
import { letterColourNames, subtitleStyleNames } from '../../src/contract/subtitle-styles.ts'
import {
  burnPixels,
  presetAssFile,
  rgbaOf,
  type RenderOptions,
  typefaceHere,
} from '../../test/engines/subtitles/burn-pixels.ts'

// Draws the picture sheet of the styles of subtitles, burned by libass with this machine's fonts.
// node docs/operations/subtitle-styles.ts

const { createCanvas } = await loadDrawing()
const [chinese, english] = [await typefaceHere('zh-CN'), await typefaceHere('en-US')]
/** Canvases, with the part of each that is shown. */
const wide = { canvas: { width: 1920, height: 1080 }, shown: { x: 210, y: 600, width: 1500, height: 480 } }
const tall = { canvas: { width: 1080, height: 1920 }, shown: { x: 0, y: 1260, width: 1080, height: 600 } }
const square = { canvas: { width: 1080, height: 1080 }, shown: { x: 0, y: 648, width: 1080, height: 432 } }
const said = '我以前从来没有去过海边，今年夏天想去看看。'
const original = { text: 'I have never been to the sea before', typeface: english }

const cell = 100
const label = 22
const gap = 10
const widthOf = ({ shown }: typeof wide) => Math.round((cell * shown.width) / shown.height)
const sheetWidth = 2 * widthOf(wide) + widthOf(tall) + widthOf(square) + 5 * gap
const rows = subtitleStyleNames.length + Math.ceil(letterColourNames.length / 3)
const sheet = createCanvas(sheetWidth, rows * (cell + label) + gap)
const pen = sheet.getContext('2d')
pen.imageSmoothingQuality = 'high'
pen.fillStyle = '#ffffff'
pen.fillRect(0, 0, sheet.width, sheet.height)

let [x, y] = [gap, gap]
const drawStyle = async (look: Omit<RenderOptions, 'canvas'>, on: typeof wide, name: string) => {
  const { width, height } = on.canvas
  const pixels = await burnPixels(scenery(on.canvas), presetAssFile({ ...look, canvas: on.canvas }))
  const picture = createCanvas(width, height)
  const onto = picture.getContext('2d')
  const image = onto.createImageData(width, height)
  image.data.set(rgbaOf(pixels))
  onto.putImageData(image, 0, 0)
  const { shown } = on
  pen.drawImage(picture, shown.x, shown.y, shown.width, shown.height, x, y, widthOf(on), cell)
  pen.fillStyle = '#1f2328'
  applyTextStyle(pen, { size: 13, weight: 500 })
  pen.fillText(name, x + 2, y + cell + 15)
  x += widthOf(on) + gap
}
const nextRow = () => {
  x = gap
  y += cell + label
}

for (const preset of subtitleStyleNames) {
  const look = { preset, typeface: chinese, text: said }
  await drawStyle({ ...look, original }, wide, `${preset}, bilingual`)
  await drawStyle({ preset, typeface: english, text: original.text }, wide, preset)
  await drawStyle({ ...look, original }, tall, preset)
  await drawStyle(look, square, preset)
  nextRow()
}
for (const [index, colour] of letterColourNames.entries()) {
  await drawStyle({ preset: 'default', colour, typeface: chinese, text: said, original }, wide, colour)
  if (index % 3 === 2) nextRow()
}
await writeFile(new URL('subtitle-styles.jpg', import.meta.url), await sheet.encode('jpeg', 82))

/** A picture with bright and dark places, three bytes a pixel. */
function scenery({ width, height }: Size): { width: number; height: number; pixels: Uint8Array } {
  const canvas = createCanvas(width, height)
  const brush = canvas.getContext('2d')
  const sky = brush.createLinearGradient(0, 0, width, height)
  const stops = ['#f4d7a1', '#c98b6b', '#5f7d95', '#e9eef2', '#2b3a42']
  for (const [index, colour] of stops.entries()) sky.addColorStop(index / (stops.length - 1), colour)
  brush.fillStyle = sky
  brush.fillRect(0, 0, width, height)
  for (let hill = 0; hill < 7; hill += 1) {
    brush.fillStyle = hill % 2 ? '#ffffff2e' : '#10202a40'
    brush.beginPath()
    brush.ellipse((width * hill) / 6, height * (0.75 + 0.05 * (hill % 3)), width / 5, height / 6, 0.3, 0, 7)
    brush.fill()
  }
  return { width, height, pixels: rgbOf(canvas.data()) }
}

/** Four bytes a pixel as three. */
function rgbOf(rgba: Uint8Array): Uint8Array {
  return rgba.filter((_, at) => at % 4 !== 3)
}

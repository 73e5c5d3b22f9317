import { writeFile } from 'node:fs/promises'
import { applyTextStyle, loadDrawing } from '../../src/engines/canvas/drawing.ts'
import { drawTemplate, song } from '../../test/music-visualizer/draw-template.ts'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'

// Writes templates.jpg, the sheet of all templates of music_visualizer, with the fonts of this machine.
// Run: node docs/visualizer/draw.ts

const size = { width: 560, height: 315 }
const gap = 12
const label = 30
const colours = [
  ['#8b5cf6', '#22d3ee'],
  ['#fde68a', '#fb7185'],
  ['#a7f3d0', '#38bdf8'],
] as const
const names = musicVisualizer.input.shape.template_id.options

const { createCanvas } = await loadDrawing()
const cell = { width: size.width + gap, height: size.height + gap + label }
const sheet = createCanvas(3 * cell.width + gap, 3 * cell.height + gap)
const pen = sheet.getContext('2d')
pen.fillStyle = '#ffffff'
pen.fillRect(0, 0, sheet.width, sheet.height)
const samples = song()
for (const [index, template] of names.entries()) {
  const [c1, c2] = colours[(index + Math.floor(index / 3)) % 3] ?? colours[0]
  const options = { template, samples, width: 2 * size.width, height: 2 * size.height, c1, c2 }
  const [frame] = await drawTemplate({ ...options, title: 'Night Drive', artist: 'The Example Band' }, [48])
  const [x, y] = [gap + (index % 3) * cell.width, gap + Math.floor(index / 3) * cell.height]
  if (frame) pen.drawImage(frame, x, y, size.width, size.height)
  pen.fillStyle = '#1f2328'
  applyTextStyle(pen, { size: 16, weight: 500 })
  pen.fillText(template, x + 2, y + size.height + 21)
}
await writeFile(new URL('templates.jpg', import.meta.url), await sheet.encode('jpeg', 84))

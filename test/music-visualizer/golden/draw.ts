import { writeFile } from 'node:fs/promises'
import { loadDrawing } from '../../../src/engines/canvas/drawing.ts'
import { musicVisualizer } from '../../../tools/music-visualizer/contract.ts'
import { drawGoldenFrames, goldenFramesFile, goldenSize } from './golden.ts'

// Replaces the golden pictures by the current drawings. Inspect them before you commit.
// node test/music-visualizer/golden/draw.ts

const { createCanvas } = await loadDrawing()
for (const template of musicVisualizer.input.shape.template_id.options) {
  const frames = await drawGoldenFrames(template)
  const sheet = createCanvas(goldenSize.width * frames.length, goldenSize.height)
  const pen = sheet.getContext('2d')
  for (const [index, frame] of frames.entries()) pen.drawImage(frame, index * goldenSize.width, 0)
  await writeFile(goldenFramesFile(template), await sheet.encode('png'))
}

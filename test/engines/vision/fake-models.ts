import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onnxFile, type Graph, type Shape } from '../onnx-file.ts'

/** Writes a model, or other content, as a user-supplied model. Returns its settings. */
export async function writeModelFile(
  folder: string,
  graph: Graph | Buffer,
): Promise<{ readonly path: string; readonly sha256: string }> {
  const content = Buffer.isBuffer(graph) ? graph : onnxFile(graph)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const path = join(folder, `${sha256}.onnx`)
  await writeFile(path, content)
  return { path, sha256 }
}

const scalar = (value: number) => ({ dims: [1, 1, 1, 1], values: [value] })

/** A model that returns the image with the mask filled by a tone, scaled to 0 to 1 or 0 to 255. */
export function fakeInpaintingModel(
  sides: readonly [number | string, number | string],
  { tone = 0.5, scale = 1 } = {},
): Graph {
  const image: Shape = [1, 3, ...sides]
  return {
    inputs: { image, mask: [1, 1, ...sides] },
    outputs: { output: image },
    constants: { one: scalar(1), tone: scalar(tone), scale: scalar(scale) },
    nodes: [
      { type: 'Sub', inputs: ['one', 'mask'], outputs: ['rest'] },
      { type: 'Mul', inputs: ['image', 'rest'], outputs: ['kept'] },
      { type: 'Mul', inputs: ['mask', 'tone'], outputs: ['toned'] },
      { type: 'Add', inputs: ['kept', 'toned'], outputs: ['sum'] },
      { type: 'Mul', inputs: ['sum', 'scale'], outputs: ['output'] },
    ],
  }
}

/** A model that returns a constant flow. */
export function constantFlowModel(right: number, down: number, channels = 3): Graph {
  const sides: Shape = [1, channels, 'rows', 'columns']
  return {
    inputs: { from: sides, to: sides },
    outputs: { flow: [1, 2, 'rows', 'columns'] },
    constants: {
      none: scalar(0),
      steps: { dims: [1, 2, 1, 1], values: [right, down] },
      axes: { dims: [1], values: [1], isWhole: true },
      begin: { dims: [1], values: [0], isWhole: true },
      end: { dims: [1], values: [2], isWhole: true },
    },
    nodes: [
      { type: 'Sub', inputs: ['from', 'to'], outputs: ['difference'] },
      { type: 'Slice', inputs: ['difference', 'begin', 'end', 'axes'], outputs: ['two'] },
      { type: 'Mul', inputs: ['two', 'none'], outputs: ['nothing'] },
      { type: 'Add', inputs: ['nothing', 'steps'], outputs: ['flow'] },
    ],
  }
}

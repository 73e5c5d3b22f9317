import type { Graph, Node } from '../engines/onnx-file.ts'

/** Frames per ten seconds, and samples per frame. */
const [frames, samples] = [1000, 160]

/** The key it detects, from A0: C4. */
export const detectedKey = 39

/**
 * A fake model with the interface of Kong et al. that reacts to loudness: during sound one key and the pedal are down,
 * with a velocity by loudness; a rise is an onset.
 */
export function loudnessPianoModel(length = frames * samples): Graph {
  const keys = Array.from({ length: 88 }, (_, key) => (key === detectedKey ? 1 : 0))
  const integers = (values: readonly number[]) => ({ dims: [values.length], values, isWhole: true })
  const change = (name: string, [from, to]: readonly [string, string]): Node[] => [
    { type: 'Sub', inputs: [from, to], outputs: [`${name} change`] },
    { type: 'Relu', inputs: [`${name} change`], outputs: [name] },
  ]
  const selectKey = (name: string, output: string): Node => ({
    type: 'MatMul',
    inputs: [name, 'key'],
    outputs: [output],
  })
  const keyed = [1, frames, 88]
  return {
    inputs: { waveform: [1, length] },
    outputs: {
      reg_onset_output: keyed,
      reg_offset_output: keyed,
      frame_output: keyed,
      velocity_output: keyed,
      reg_pedal_offset_output: [1, frames, 1],
      pedal_frame_output: [1, frames, 1],
    },
    constants: {
      parts: integers([1, frames, samples]),
      mean: { dims: [samples, 1], values: Array.from({ length: samples }, () => 1 / samples) },
      key: { dims: [1, 88], values: keys },
      first: integers([0]),
      last: integers([frames - 1]),
      axis: integers([1]),
      before: integers([0, 1, 0, 0, 0, 0]),
      twice: { dims: [1], values: [8] },
    },
    nodes: [
      { type: 'Abs', inputs: ['waveform'], outputs: ['size'] },
      { type: 'Reshape', inputs: ['size', 'parts'], outputs: ['framed'] },
      { type: 'MatMul', inputs: ['framed', 'mean'], outputs: ['quiet level'] },
      { type: 'Mul', inputs: ['quiet level', 'twice'], outputs: ['pedal_frame_output'] },
      { type: 'Slice', inputs: ['pedal_frame_output', 'first', 'last', 'axis'], outputs: ['all but one'] },
      { type: 'Pad', inputs: ['all but one', 'before'], outputs: ['level before'] },
      ...change('rise', ['pedal_frame_output', 'level before']),
      ...change('reg_pedal_offset_output', ['level before', 'pedal_frame_output']),
      selectKey('rise', 'reg_onset_output'),
      selectKey('reg_pedal_offset_output', 'reg_offset_output'),
      selectKey('pedal_frame_output', 'frame_output'),
      selectKey('pedal_frame_output', 'velocity_output'),
    ],
  }
}

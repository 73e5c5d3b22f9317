import type { InferenceSession } from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { keys } from '../../media/piano/note.ts'
import { byBegin } from '../../media/piano/order.ts'
import { regressionRate, RegressionTracker, type RegressionFrame } from '../../media/piano/regression.ts'
import type { HeardNote } from '../../media/piano/track.ts'
import { paces } from '../../media/piano/work.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/load.ts'
import type { Heard, Listening, Transcriber } from './transcriber.ts'
import { windowsOf } from './windows.ts'

const rate = 16_000

/** Samples of a window, ten seconds, and of a frame. */
const length = 160_000
const frameLength = rate / regressionRate

/** Frames of a window's middle, of a thousand: at the edges too little is heard around them. */
const middle = { from: 250, to: 750 } as const

/** What the model answers, each by frames, of keys or of the one pedal. */
const outputs = {
  onsets: 'reg_onset_output',
  offsets: 'reg_offset_output',
  sounding: 'frame_output',
  velocities: 'velocity_output',
  pedalOffset: 'reg_pedal_offset_output',
  pedal: 'pedal_frame_output',
} as const
type Outputs = Record<keyof typeof outputs, Float32Array>

/** Opens a model of the form of Kong et al.; 6016 where it is of another. */
export async function openHighResolution(
  { name, path }: { readonly name: string; readonly path: string },
  threads: number,
): Promise<Transcriber> {
  const onnx = await loadOnnxRuntime()
  const session = await onnx.InferenceSession.create(path, {
    ...{ intraOpNumThreads: threads, interOpNumThreads: 1 },
    // An older runtime fused this graph wrongly; planned memory doubles what it takes.
    ...{ graphOptimizationLevel: 'disabled', enableMemPattern: false },
  }).catch((cause: unknown) => {
    throw unfit('it does not load', cause)
  })
  try {
    return transcriberOf({ onnx, session, input: inputOf(session) }, name)
  } catch (error) {
    await session.release()
    throw error
  }
}

/** What a model takes; 6016 where that or what it answers is not of the form. */
function inputOf({ inputNames, outputNames }: InferenceSession): string {
  const [input, ...others] = inputNames
  if (input === undefined || others.length > 0) throw unfit(`it takes ${inputNames.join(', ')}`)
  const lacking = Object.values(outputs).filter((output) => !outputNames.includes(output))
  if (lacking.length > 0) throw unfit(`it does not answer ${lacking.join(', ')}`)
  return input
}

function transcriberOf(model: Model, name: string): Transcriber {
  return {
    ...{ name, rate, pace: paces.highResolution, pedal: true },
    transcribe: (sound, listening) => transcribe(model, sound, listening),
    [Symbol.asyncDispose]: () => model.session.release(),
  }
}

interface Model {
  readonly onnx: OnnxRuntime
  readonly session: InferenceSession
  readonly input: string
}

async function transcribe(
  model: Model,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: Listening,
): Promise<Heard> {
  const tracker = new RegressionTracker()
  const notes: HeardNote[] = []
  const step = (middle.to - middle.from) * frameLength
  const windows = { length, step, before: middle.from * frameLength }
  for await (const { samples, heard, from } of windowsOf(sound, windows)) {
    signal.throwIfAborted()
    const told = await look(model, samples)
    for (let frame = middle.from; frame < middle.to; frame += 1) {
      if (from + frame * frameLength > heard) break
      notes.push(...tracker.push(frameOf(told, frame)))
    }
    onSeconds?.(heard / rate)
  }
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(byBegin), pedals: tracker.pedals }
}

async function look({ onnx, session, input }: Model, samples: Float32Array): Promise<Outputs> {
  const tensor = new onnx.Tensor('float32', samples, [1, length])
  const answers = await session.run({ [input]: tensor }).catch((cause: unknown) => {
    throw unfit('it does not run', cause)
  })
  const told = Object.entries(outputs).map(([field, output]) => {
    const data = answers[output]?.data
    const width = field.startsWith('pedal') ? 1 : keys
    if (data instanceof Float32Array && data.length >= middle.to * width) return [field, data] as const
    throw unfit(`${output} is ${answers[output]?.dims.join(' x ') ?? 'not there'}`)
  })
  return Object.fromEntries(told) as Outputs
}

function frameOf(told: Outputs, frame: number): RegressionFrame {
  const of = (data: Float32Array) => data.slice(frame * keys, (frame + 1) * keys)
  return {
    ...{ onsets: of(told.onsets), offsets: of(told.offsets) },
    ...{ sounding: of(told.sounding), velocities: of(told.velocities) },
    pedalOffset: told.pedalOffset[frame] ?? 0,
    pedal: told.pedal[frame] ?? 0,
  }
}

function unfit(reason: string, cause?: unknown): MediaError {
  return new MediaError(6016, `the piano model that is set cannot be used: ${reason}`, {
    cause,
    hint:
      'Bring one that takes 10 s of sound (1, 160000) at 16 kHz and answers onsets, offsets, frames, velocities and ' +
      'pedal at 100 frames a second, or leave the setting out: Basic Pitch is used then.',
  })
}

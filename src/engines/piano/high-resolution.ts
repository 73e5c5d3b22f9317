import type { InferenceSession } from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { compareNotes, keyCount } from '../../media/piano/note.ts'
import {
  regressionFrameRate,
  RegressionTracker,
  type RegressionFrame,
} from '../../media/piano/regression-tracker.ts'
import type { TranscribedNote } from '../../media/piano/note-tracker.ts'
import { transcriptionPaces } from '../../media/piano/recording.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/session.ts'
import type { PianoTranscription, TranscribePianoOptions, PianoTranscriber } from './transcriber.ts'
import { paddedWindows } from '../../media/audio/windows.ts'

const modelRate = 16_000

/** Samples of a window (ten seconds), and of a frame. */
const modelWindowSamples = 160_000
const modelFrameSamples = modelRate / regressionFrameRate

/** Frames of a window that are used, of 1000: those near its edges have too little context. */
const countedRange = { from: 250, to: 750 } as const

/** Output tensors of the model. Layout: frame, key; for the pedal one value per frame. */
const outputs = {
  onsets: 'reg_onset_output',
  offsets: 'reg_offset_output',
  sounding: 'frame_output',
  velocities: 'velocity_output',
  pedalOffset: 'reg_pedal_offset_output',
  pedal: 'pedal_frame_output',
} as const
type Outputs = Record<keyof typeof outputs, Float32Array>

/** Opens a model with the interface of Kong et al. (2021). Throws 6016 if the interface differs. */
export async function openHighResolution(
  { name, path }: { readonly name: string; readonly path: string },
  threads: number,
): Promise<PianoTranscriber> {
  const onnx = await loadOnnxRuntime()
  const session = await onnx.InferenceSession.create(path, {
    ...{ intraOpNumThreads: threads, interOpNumThreads: 1 },
    // An older runtime fused this graph wrongly. The memory pattern doubles the memory used.
    ...{ graphOptimizationLevel: 'disabled', enableMemPattern: false },
  }).catch((cause: unknown) => {
    throw unusablePianoModel('it cannot be loaded', cause)
  })
  try {
    return highResolutionTranscriber({ onnx, session, input: checkModelInterface(session) }, name)
  } catch (error) {
    await session.release()
    throw error
  }
}

/** Name of the model's input. Throws 6016 if inputs or outputs differ from the expected ones. */
function checkModelInterface({ inputNames, outputNames }: InferenceSession): string {
  const [input, ...others] = inputNames
  if (input === undefined || others.length > 0)
    throw unusablePianoModel(`its inputs are ${inputNames.join(', ') || 'none'}, not one`)
  const missing = Object.values(outputs).filter((output) => !outputNames.includes(output))
  if (missing.length > 0) throw unusablePianoModel(`it has no output ${missing.join(', ')}`)
  return input
}

function highResolutionTranscriber(model: HighResolutionModel, name: string): PianoTranscriber {
  return {
    ...{ name, rate: modelRate, secondsPerSecond: transcriptionPaces.highResolution, pedal: true },
    transcribe: (sound, listening) => transcribeAtHighResolution(model, sound, listening),
    [Symbol.asyncDispose]: () => model.session.release(),
  }
}

interface HighResolutionModel {
  readonly onnx: OnnxRuntime
  readonly session: InferenceSession
  readonly input: string
}

async function transcribeAtHighResolution(
  model: HighResolutionModel,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: TranscribePianoOptions,
): Promise<PianoTranscription> {
  const tracker = new RegressionTracker()
  const notes: TranscribedNote[] = []
  const step = (countedRange.to - countedRange.from) * modelFrameSamples
  const windows = { length: modelWindowSamples, step, before: countedRange.from * modelFrameSamples }
  for await (const { samples, received, from } of paddedWindows(sound, windows)) {
    signal.throwIfAborted()
    const result = await runWindow(model, samples)
    for (let frame = countedRange.from; frame < countedRange.to; frame += 1) {
      if (from + frame * modelFrameSamples > received) break
      notes.push(...tracker.push(regressionFrame(result, frame)))
    }
    onSeconds?.(received / modelRate)
  }
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(compareNotes), pedals: tracker.pedals }
}

async function runWindow(
  { onnx, session, input }: HighResolutionModel,
  samples: Float32Array,
): Promise<Outputs> {
  const tensor = new onnx.Tensor('float32', samples, [1, modelWindowSamples])
  const tensors = await session.run({ [input]: tensor }).catch((cause: unknown) => {
    throw unusablePianoModel('it fails to run', cause)
  })
  const result = Object.entries(outputs).map(([field, output]) => {
    const data = tensors[output]?.data
    const width = field.startsWith('pedal') ? 1 : keyCount
    if (data instanceof Float32Array && data.length >= countedRange.to * width) return [field, data] as const
    throw unusablePianoModel(`${output} is ${tensors[output]?.dims.join(' x ') ?? 'missing'}`)
  })
  return Object.fromEntries(result) as Outputs
}

function regressionFrame(result: Outputs, frame: number): RegressionFrame {
  const of = (data: Float32Array) => data.slice(frame * keyCount, (frame + 1) * keyCount)
  return {
    ...{ onsets: of(result.onsets), offsets: of(result.offsets) },
    ...{ sounding: of(result.sounding), velocities: of(result.velocities) },
    pedalOffset: result.pedalOffset[frame] ?? 0,
    pedal: result.pedal[frame] ?? 0,
  }
}

function unusablePianoModel(reason: string, cause?: unknown): MediaError {
  return new MediaError(6016, `the configured piano model cannot be used: ${reason}`, {
    cause,
    hint:
      'Use a model with 10 s of sound (1, 160000) at 16 kHz as input, and onsets, offsets, frames, velocities and ' +
      'pedal at 100 frames a second as outputs; or remove the setting to use Basic Pitch.',
  })
}

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

/** Samples of a window, ten seconds, and of a frame. */
const windowSamples = 160_000
const frameSamples = modelRate / regressionFrameRate

/** Frames of a window's middle, of a thousand: at the edges too little is heard around them. */
const countedRange = { from: 250, to: 750 } as const

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
): Promise<PianoTranscriber> {
  const onnx = await loadOnnxRuntime()
  const session = await onnx.InferenceSession.create(path, {
    ...{ intraOpNumThreads: threads, interOpNumThreads: 1 },
    // An older runtime fused this graph wrongly; planned memory doubles what it takes.
    ...{ graphOptimizationLevel: 'disabled', enableMemPattern: false },
  }).catch((cause: unknown) => {
    throw unusableModel('it does not load', cause)
  })
  try {
    return highResolutionTranscriber({ onnx, session, input: checkModelInterface(session) }, name)
  } catch (error) {
    await session.release()
    throw error
  }
}

/** What a model takes; 6016 where that or what it answers is not of the form. */
function checkModelInterface({ inputNames, outputNames }: InferenceSession): string {
  const [input, ...others] = inputNames
  if (input === undefined || others.length > 0) throw unusableModel(`it takes ${inputNames.join(', ')}`)
  const lacking = Object.values(outputs).filter((output) => !outputNames.includes(output))
  if (lacking.length > 0) throw unusableModel(`it does not answer ${lacking.join(', ')}`)
  return input
}

function highResolutionTranscriber(model: HighResolutionModel, name: string): PianoTranscriber {
  return {
    ...{ name, rate: modelRate, pace: transcriptionPaces.highResolution, pedal: true },
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
  const step = (countedRange.to - countedRange.from) * frameSamples
  const windows = { length: windowSamples, step, before: countedRange.from * frameSamples }
  for await (const { samples, received: heard, from } of paddedWindows(sound, windows)) {
    signal.throwIfAborted()
    const told = await runWindow(model, samples)
    for (let frame = countedRange.from; frame < countedRange.to; frame += 1) {
      if (from + frame * frameSamples > heard) break
      notes.push(...tracker.push(regressionFrame(told, frame)))
    }
    onSeconds?.(heard / modelRate)
  }
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(compareNotes), pedals: tracker.pedals }
}

async function runWindow(
  { onnx, session, input }: HighResolutionModel,
  samples: Float32Array,
): Promise<Outputs> {
  const tensor = new onnx.Tensor('float32', samples, [1, windowSamples])
  const answers = await session.run({ [input]: tensor }).catch((cause: unknown) => {
    throw unusableModel('it does not run', cause)
  })
  const told = Object.entries(outputs).map(([field, output]) => {
    const data = answers[output]?.data
    const width = field.startsWith('pedal') ? 1 : keyCount
    if (data instanceof Float32Array && data.length >= countedRange.to * width) return [field, data] as const
    throw unusableModel(`${output} is ${answers[output]?.dims.join(' x ') ?? 'not there'}`)
  })
  return Object.fromEntries(told) as Outputs
}

function regressionFrame(told: Outputs, frame: number): RegressionFrame {
  const of = (data: Float32Array) => data.slice(frame * keyCount, (frame + 1) * keyCount)
  return {
    ...{ onsets: of(told.onsets), offsets: of(told.offsets) },
    ...{ sounding: of(told.sounding), velocities: of(told.velocities) },
    pedalOffset: told.pedalOffset[frame] ?? 0,
    pedal: told.pedal[frame] ?? 0,
  }
}

function unusableModel(reason: string, cause?: unknown): MediaError {
  return new MediaError(6016, `the piano model that is set cannot be used: ${reason}`, {
    cause,
    hint:
      'Bring one that takes 10 s of sound (1, 160000) at 16 kHz and answers onsets, offsets, frames, velocities and ' +
      'pedal at 100 frames a second, or leave the setting out: Basic Pitch is used then.',
  })
}

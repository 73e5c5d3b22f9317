import type { InferenceSession } from 'onnxruntime-node'
import { frameHop, frameRate, type Frame } from '../../media/piano/frames.ts'
import { Levels, lookLength } from '../../media/piano/levels.ts'
import { keys } from '../../media/piano/note.ts'
import { byBegin } from '../../media/piano/order.ts'
import { NoteTracker, type HeardNote } from '../../media/piano/track.ts'
import { paces } from '../../media/piano/work.ts'
import { loadOnnxRuntime, type OnnxRuntime } from '../onnx/load.ts'
import { usePack } from '../packs/use.ts'
import type { Heard, Listening, Transcriber } from './transcriber.ts'
import { windowsOf } from './windows.ts'

/** Samples and frames of a window of the model, which is fixed. */
const window = { samples: 43_844, frames: 172 } as const

/** Frames at both ends of a window that do not count, as too little is heard around them: 0.17 s. */
const margin = 15

const counted = window.frames - 2 * margin

/** The model's own names. */
const tensors = {
  sound: 'serving_default_input_2:0',
  onsets: 'StatefulPartitionedCall:2',
  sounding: 'StatefulPartitionedCall:1',
} as const

/** Opens Basic Pitch, which is pulled first where it is not there. */
export async function openBasicPitch(threads: number, signal: AbortSignal): Promise<Transcriber> {
  const model = await openModel(threads, signal)
  return {
    ...{ name: 'basic-pitch', rate: frameRate, pace: paces.basicPitch, pedal: false },
    transcribe: (sound, listening) => transcribe(model, sound, listening),
    [Symbol.asyncDispose]: () => model.session.release(),
  }
}

interface Model {
  readonly onnx: OnnxRuntime
  readonly session: InferenceSession
}

/** Opens the model alone. */
export async function openModel(threads: number, signal: AbortSignal): Promise<Model> {
  const model = await usePack('piano-transcription', { signal })
  const onnx = await loadOnnxRuntime()
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 }
  return { onnx, session: await onnx.InferenceSession.create(model, options) }
}

async function transcribe(
  model: Model,
  sound: AsyncIterable<Float32Array>,
  listening: Listening,
): Promise<Heard> {
  const tracker = new NoteTracker()
  const notes: HeardNote[] = []
  for await (const frame of framesOf(model, sound, listening)) notes.push(...tracker.push(frame))
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(byBegin), pedals: [] }
}

/** What the model and the spectrum tell of each moment of a sound. */
export async function* framesOf(
  model: Model,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: Listening,
): AsyncGenerator<Frame> {
  const levels = new Levels()
  const windows = { length: window.samples, step: counted * frameHop, before: margin * frameHop }
  for await (const { samples, heard, from } of windowsOf(sound, windows)) {
    signal.throwIfAborted()
    const { onsets, sounding } = await look(model, samples)
    for (let frame = margin; frame < margin + counted; frame += 1) {
      const [first, end, middle] = [frame * keys, (frame + 1) * keys, frame * frameHop]
      if (from + middle > heard) break
      yield {
        onsets: onsets.slice(first, end),
        sounding: sounding.slice(first, end),
        levels: levels.measure(samples.subarray(middle - lookLength / 2, middle + lookLength / 2)),
      }
    }
    onSeconds?.(heard / frameRate)
  }
}

async function look({ onnx, session }: Model, samples: Float32Array) {
  const tensor = new onnx.Tensor('float32', samples, [1, window.samples, 1])
  const answers = await session.run({ [tensors.sound]: tensor })
  const [onsets, sounding] = [answers[tensors.onsets]?.data, answers[tensors.sounding]?.data]
  if (onsets instanceof Float32Array && sounding instanceof Float32Array) return { onsets, sounding }
  throw new TypeError('Basic Pitch answers something else')
}

import { pianoFrameHop, pianoSampleRate, partialCount, type PianoFrame } from '../../media/piano/frames.ts'
import { compareNotes, keyCount } from '../../media/piano/note.ts'
import { NoteTracker, type TranscribedNote } from '../../media/piano/note-tracker.ts'
import { transcriptionPaces } from '../../media/piano/recording.ts'
import { openModelThreads, type ModelThreads } from '../onnx/model-threads.ts'
import {
  countedFrames,
  marginFrames,
  newWindowAnalysis,
  basicPitchWindow,
  type WindowAnalysis,
} from './basic-pitch-window.ts'
import type { PianoTranscription, TranscribePianoOptions, PianoTranscriber } from './transcriber.ts'
import { paddedWindows, type SoundWindow } from '../../media/audio/windows.ts'

/** Opens Basic Pitch, which is pulled first where it is not there. */
export async function openBasicPitch(threads: number, signal: AbortSignal): Promise<PianoTranscriber> {
  const model = await openBasicPitchModel(threads, signal)
  return {
    ...{ name: 'basic-pitch', rate: pianoSampleRate, pace: transcriptionPaces.basicPitch, pedal: false },
    transcribe: (sound, listening) => transcribeWithBasicPitch(model, sound, listening),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

/** The model alone, on so many threads. */
interface BasicPitchModel extends ModelThreads<WindowAnalysis, null> {
  readonly threads: number
}

export async function openBasicPitchModel(threads: number, signal: AbortSignal): Promise<BasicPitchModel> {
  const module = new URL('./basic-pitch-thread', import.meta.url)
  const kind = { pack: 'piano-transcription', purpose: 'piano transcription', module } as const
  return { threads, ...(await openModelThreads<WindowAnalysis, null>(kind, threads, signal)) }
}

async function transcribeWithBasicPitch(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
  listening: TranscribePianoOptions,
): Promise<PianoTranscription> {
  const tracker = new NoteTracker()
  const notes: TranscribedNote[] = []
  for await (const frame of basicPitchFrames(model, sound, listening)) notes.push(...tracker.push(frame))
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(compareNotes), pedals: [] }
}

/** What the model and the spectrum tell of each moment of a sound; of a frame until the next is asked for. */
export async function* basicPitchFrames(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: TranscribePianoOptions,
): AsyncGenerator<PianoFrame> {
  for await (const { from, received: heard, look } of analyzedWindows(model, sound)) {
    signal.throwIfAborted()
    const { onsets, sounding, levels } = look
    for (let frame = 0; frame < countedFrames; frame += 1) {
      if (from + (marginFrames + frame) * pianoFrameHop > heard) break
      const [first, end] = [frame * keyCount, (frame + 1) * keyCount]
      yield {
        ...{ onsets: onsets.subarray(first, end), sounding: sounding.subarray(first, end) },
        levels: levels.subarray(first * partialCount, end * partialCount),
      }
    }
    onSeconds?.(heard / pianoSampleRate)
  }
}

type AnalyzedWindow = Pick<SoundWindow, 'from' | 'received'> & { readonly look: WindowAnalysis }

/** The windows of a sound in their order; while one is read, others are looked at. */
async function* analyzedWindows(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
): AsyncGenerator<AnalyzedWindow> {
  const windows = {
    length: basicPitchWindow.samples,
    step: countedFrames * pianoFrameHop,
    before: marginFrames * pianoFrameHop,
  }
  const under: Promise<AnalyzedWindow>[] = []
  const free: WindowAnalysis[] = []
  for await (const { samples, received: heard, from } of paddedWindows(sound, windows)) {
    const look = free.pop() ?? newWindowAnalysis()
    look.samples.set(samples)
    const looked = model.run(look, []).then(() => ({ from, received: heard, look }))
    // Who ends before its turn comes has no use for its failure.
    looked.catch(() => {})
    under.push(looked)
    // One more than there are threads: none waits while this one reads on.
    if (under.length <= model.threads) continue
    const first = await next(under)
    yield first
    free.push(first.look)
  }
  while (under.length > 0) yield await next(under)
}

function next(under: Promise<AnalyzedWindow>[]): Promise<AnalyzedWindow> {
  const first = under.shift()
  if (!first) throw new TypeError('nothing is under way')
  return first
}

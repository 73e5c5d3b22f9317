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

/** Opens Basic Pitch. Downloads the model on first use. */
export async function openBasicPitch(threads: number, signal: AbortSignal): Promise<PianoTranscriber> {
  const model = await openBasicPitchModel(threads, signal)
  return {
    ...{
      name: 'basic-pitch',
      rate: pianoSampleRate,
      secondsPerSecond: transcriptionPaces.basicPitch,
      pedal: false,
    },
    transcribe: (sound, listening) => transcribeWithBasicPitch(model, sound, listening),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

/** The model, loaded in several threads. */
interface BasicPitchModel extends ModelThreads<WindowAnalysis, null> {
  readonly threads: number
}

/** Opens the model in `threads` threads. Throws 6401 if it or its runtime is missing. */
export async function openBasicPitchModel(threads: number, signal: AbortSignal): Promise<BasicPitchModel> {
  const module = new URL('./basic-pitch-thread', import.meta.url)
  const kind = { pack: 'piano-transcription', purpose: 'piano transcription', module } as const
  return { threads, ...(await openModelThreads<WindowAnalysis, null>(kind, threads, signal)) }
}

async function transcribeWithBasicPitch(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
  options: TranscribePianoOptions,
): Promise<PianoTranscription> {
  const tracker = new NoteTracker()
  const notes: TranscribedNote[] = []
  for await (const frame of basicPitchFrames(model, sound, options)) notes.push(...tracker.push(frame))
  notes.push(...tracker.finish())
  return { notes: notes.toSorted(compareNotes), pedals: [] }
}

/** Yields one frame per 11.6 ms of mono sound at 22,050 Hz. A frame is valid until the next one is requested. */
export async function* basicPitchFrames(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: TranscribePianoOptions,
): AsyncGenerator<PianoFrame> {
  for await (const { from, received, analysis } of analyzedWindows(model, sound)) {
    signal.throwIfAborted()
    const { onsets, sounding, levels } = analysis
    for (let frame = 0; frame < countedFrames; frame += 1) {
      if (from + (marginFrames + frame) * pianoFrameHop > received) break
      const [first, end] = [frame * keyCount, (frame + 1) * keyCount]
      yield {
        ...{ onsets: onsets.subarray(first, end), sounding: sounding.subarray(first, end) },
        levels: levels.subarray(first * partialCount, end * partialCount),
      }
    }
    onSeconds?.(received / pianoSampleRate)
  }
}

type AnalyzedWindow = Pick<SoundWindow, 'from' | 'received'> & { readonly analysis: WindowAnalysis }

/** Yields analysed windows in order. Other windows are analysed in the threads meanwhile. */
async function* analyzedWindows(
  model: BasicPitchModel,
  sound: AsyncIterable<Float32Array>,
): AsyncGenerator<AnalyzedWindow> {
  const layout = {
    length: basicPitchWindow.samples,
    step: countedFrames * pianoFrameHop,
    before: marginFrames * pianoFrameHop,
  }
  const pending: Promise<AnalyzedWindow>[] = []
  const free: WindowAnalysis[] = []
  for await (const { samples, received, from } of paddedWindows(sound, layout)) {
    const analysis = free.pop() ?? newWindowAnalysis()
    analysis.samples.set(samples)
    const analyzed = model.run(analysis, []).then(() => ({ from, received, analysis }))
    // If the consumer stops early, nobody awaits this promise: its failure is ignored.
    analyzed.catch(() => {})
    pending.push(analyzed)
    // One window more than threads: no thread waits while this one reads the sound.
    if (pending.length <= model.threads) continue
    const first = await takeFirst(pending)
    yield first
    free.push(first.analysis)
  }
  while (pending.length > 0) yield await takeFirst(pending)
}

function takeFirst(pending: Promise<AnalyzedWindow>[]): Promise<AnalyzedWindow> {
  const first = pending.shift()
  if (!first) throw new TypeError('no window is pending')
  return first
}

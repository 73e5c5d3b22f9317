import { frameHop, frameRate, partials, type Frame } from '../../media/piano/frames.ts'
import { keys } from '../../media/piano/note.ts'
import { byBegin } from '../../media/piano/order.ts'
import { NoteTracker, type HeardNote } from '../../media/piano/track.ts'
import { paces } from '../../media/piano/work.ts'
import { openModelThreads, type ModelThreads } from '../onnx/model-threads.ts'
import { counted, margin, newLook, window, type Look } from './basic-pitch-window.ts'
import type { Heard, Listening, Transcriber } from './transcriber.ts'
import { windowsOf, type SoundWindow } from './windows.ts'

/** Opens Basic Pitch, which is pulled first where it is not there. */
export async function openBasicPitch(threads: number, signal: AbortSignal): Promise<Transcriber> {
  const model = await openModel(threads, signal)
  return {
    ...{ name: 'basic-pitch', rate: frameRate, pace: paces.basicPitch, pedal: false },
    transcribe: (sound, listening) => transcribe(model, sound, listening),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

/** The model alone, on so many threads. */
interface Model extends ModelThreads<Look, null> {
  readonly threads: number
}

export async function openModel(threads: number, signal: AbortSignal): Promise<Model> {
  const module = new URL('./basic-pitch-thread', import.meta.url)
  const kind = { pack: 'piano-transcription', purpose: 'piano transcription', module } as const
  return { threads, ...(await openModelThreads<Look, null>(kind, threads, signal)) }
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

/** What the model and the spectrum tell of each moment of a sound; of a frame until the next is asked for. */
export async function* framesOf(
  model: Model,
  sound: AsyncIterable<Float32Array>,
  { signal, onSeconds }: Listening,
): AsyncGenerator<Frame> {
  for await (const { from, heard, look } of looksOf(model, sound)) {
    signal.throwIfAborted()
    const { onsets, sounding, levels } = look
    for (let frame = 0; frame < counted; frame += 1) {
      if (from + (margin + frame) * frameHop > heard) break
      const [first, end] = [frame * keys, (frame + 1) * keys]
      yield {
        ...{ onsets: onsets.subarray(first, end), sounding: sounding.subarray(first, end) },
        levels: levels.subarray(first * partials, end * partials),
      }
    }
    onSeconds?.(heard / frameRate)
  }
}

type WindowLooked = Pick<SoundWindow, 'from' | 'heard'> & { readonly look: Look }

/** The windows of a sound in their order; while one is read, others are looked at. */
async function* looksOf(model: Model, sound: AsyncIterable<Float32Array>): AsyncGenerator<WindowLooked> {
  const windows = { length: window.samples, step: counted * frameHop, before: margin * frameHop }
  const under: Promise<WindowLooked>[] = []
  const free: Look[] = []
  for await (const { samples, heard, from } of windowsOf(sound, windows)) {
    const look = free.pop() ?? newLook()
    look.samples.set(samples)
    const looked = model.ask(look, []).then(() => ({ from, heard, look }))
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

function next(under: Promise<WindowLooked>[]): Promise<WindowLooked> {
  const first = under.shift()
  if (!first) throw new TypeError('nothing is under way')
  return first
}

import { transcriptionPaces } from '../../media/piano/recording.ts'
import { findPack, requirePack, requireTogether } from '../packs/use.ts'
import { openBasicPitch } from './basic-pitch.ts'
import { openHighResolution } from './high-resolution.ts'
import type { PianoTranscriber } from './transcriber.ts'

/** Models made for pianos, the one that people brought first. */
const pianoModels = ['piano-model', 'piano-transcription-pedal'] as const

/** Opens what hears pianos best of what there is: a model made for them, else Basic Pitch, which comes by itself. */
export async function openPianoTranscriber(threads: number, signal: AbortSignal): Promise<PianoTranscriber> {
  const model = await findPianoModel()
  return await (model ? openHighResolution(model, threads) : openBasicPitch(threads, signal))
}

/** Seconds of work for a second of sound of what `openPianoTranscriber` would open. */
export async function transcriberPace(): Promise<number> {
  return (await findPianoModel()) ? transcriptionPaces.highResolution : transcriptionPaces.basicPitch
}

/** For `ready` of an operation: 6401 where what hears is neither there nor comes by itself. */
export async function requirePianoTranscriber(): Promise<void> {
  await requireTogether([() => requirePack('onnx-runtime'), requirePianoModel])
}

async function requirePianoModel(): Promise<void> {
  if (!(await findPianoModel())) await requirePack('piano-transcription')
}

async function findPianoModel(): Promise<{ readonly name: string; readonly path: string } | undefined> {
  for (const name of pianoModels) {
    const path = await findPack(name)
    if (path !== null) return { name, path }
  }
  return undefined
}

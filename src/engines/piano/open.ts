import { findPack, requirePack, requireTogether } from '../packs/use.ts'
import { openBasicPitch } from './basic-pitch.ts'
import { openHighResolution } from './high-resolution.ts'
import type { Transcriber } from './transcriber.ts'

/** Models made for pianos, the one that people brought first. */
const pianoModels = ['piano-model', 'piano-transcription-pedal'] as const

/** Opens what hears pianos best of what there is: a model made for them, else Basic Pitch, which comes by itself. */
export async function openTranscriber(threads: number, signal: AbortSignal): Promise<Transcriber> {
  for (const name of pianoModels) {
    const path = await findPack(name)
    if (path !== null) return await openHighResolution({ name, path }, threads)
  }
  return await openBasicPitch(threads, signal)
}

/** For `ready` of an operation: 6401 where what hears is neither there nor comes by itself. */
export async function requireTranscriber(): Promise<void> {
  await requireTogether([() => requirePack('onnx-runtime'), requireModel])
}

async function requireModel(): Promise<void> {
  const found = await Promise.all(pianoModels.map((name) => findPack(name)))
  if (found.every((path) => path === null)) await requirePack('piano-transcription')
}

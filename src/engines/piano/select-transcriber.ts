import { findPack, requirePack, requireTogether } from '../packs/resolve.ts'
import type { PianoTranscriber } from './transcriber.ts'

/** Models trained on pianos; the user's own model takes precedence. */
const pianoModels = ['piano-model', 'piano-transcription-pedal'] as const

/** Opens the best installed transcriber: a model trained on pianos, else Basic Pitch, which is downloaded on first use. */
export async function openPianoTranscriber(threads: number, signal: AbortSignal): Promise<PianoTranscriber> {
  const model = await findPianoModel()
  // Loaded here, as readiness checks only need to know which one would be opened.
  if (model) return await (await import('./high-resolution.ts')).openHighResolution(model, threads)
  return await (await import('./basic-pitch.ts')).openBasicPitch(threads, signal)
}

/** Checks that a transcriber is installed or downloadable. Returns the name of its model. Throws 6401. */
export async function requirePianoTranscriber(): Promise<string> {
  const model = await findPianoModel()
  const name = model?.name ?? 'piano-transcription'
  await requireTogether([
    () => requirePack('onnx-runtime'),
    async () => {
      if (!model) await requirePack('piano-transcription')
    },
  ])
  return name
}

async function findPianoModel(): Promise<
  { readonly name: (typeof pianoModels)[number]; readonly path: string } | undefined
> {
  for (const name of pianoModels) {
    const path = await findPack(name)
    if (path !== null) return { name, path }
  }
  return undefined
}

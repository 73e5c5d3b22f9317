import { MediaError } from '../../contract/errors.ts'
import { findPack, requirePack, requireTogether } from '../packs/resolve.ts'
import { clapPack, clapSpace, openClap } from './clap.ts'
import type { SoundModel } from './sound-model.ts'

/** Returns the model that embeds sounds, if its pack is installed. Loads nothing. */
export async function findSoundModel(): Promise<Pick<SoundModel, 'name' | 'space'> | undefined> {
  return (await findPack(clapPack)) === null ? undefined : { name: clapPack, space: clapSpace }
}

/** Opens the model. Throws 6401 with the command that installs it. */
export async function openSoundModel(threads: number): Promise<SoundModel> {
  await requireTogether([() => requirePack(clapPack), () => requirePack('onnx-runtime')])
  return await openClap(threads)
}

/**
 * Returns the vector of a query for sounds. Undefined without a model, also if it does not load: then words find sounds.
 * Undefined for a text without Latin letters too: the model was trained on English descriptions, and breaks other scripts
 * into bytes that it knows nothing of.
 */
export async function embedSoundQuery(
  text: string,
  threads: number,
): Promise<{ readonly space: string; readonly values: Float32Array } | undefined> {
  if (!/\p{Script=Latin}/u.test(text) || !(await findSoundModel())) return undefined
  try {
    await using model = await openSoundModel(threads)
    return { space: model.space, values: await model.embedText(text) }
  } catch (error) {
    if (error instanceof MediaError) return undefined
    throw error
  }
}

import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { isHttpUrl } from './address.ts'
import { packArtifacts, hasBuild } from './machine.ts'
import type { Artifact, Pack } from './manifest.ts'
import { isFileOfSize, type Packs } from './store.ts'

/** Which file of a pack a mirror that is a folder lacks; undefined where it has all. An address is not asked. */
export async function missingOnMirror({ mirror }: Packs, pack: Pack): Promise<MediaError | undefined> {
  if (mirror === undefined || isHttpUrl(mirror) || !hasBuild(pack)) return undefined
  for (const artifact of packArtifacts(pack)) {
    // Where it lies is the service's own matter.
    if (!(await isOnMirror(mirror, artifact))) return notOnMirrorError('the mirror', artifact)
  }
  return undefined
}

/** Whether a folder holds a file, by its size: what is copied is checked as a whole. */
export async function isOnMirror(mirror: string, { file, bytes }: Artifact): Promise<boolean> {
  return await isFileOfSize(join(mirror, file), bytes)
}

/** What answers who wants a file that a mirror lacks. */
export function notOnMirrorError(mirror: string, { file, bytes }: Artifact): MediaError {
  return new MediaError(6401, `${mirror} has no ${file} of ${describeSize(bytes)}`, {
    retryable: false,
    hint:
      'Put that file into the folder that models_mirror (REELWRIGHT_MODELS_MIRROR) names, or leave the setting ' +
      'out.',
  })
}

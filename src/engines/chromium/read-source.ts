import { readFile } from 'node:fs/promises'
import { MediaError } from '../../contract/errors.ts'
import type { StagedFile } from '../../contract/operation.ts'

/** The text of an HTML file. Throws 6016 where it is not UTF-8. */
export async function readParticleSource({ path, name }: Pick<StagedFile, 'path' | 'name'>): Promise<string> {
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new MediaError(6016, `${name} is not UTF-8 text`, { cause: error, hint: 'Save it as UTF-8.' })
  }
}

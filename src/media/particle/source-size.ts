import { MediaError } from '../../contract/errors.ts'
import { saveAsHtmlHint } from '../../contract/file.ts'
import type { RequestFile } from '../../contract/operation.ts'

/** Largest source, in bytes: room for pictures inside it. */
const maxSourceBytes = 16 * 2 ** 20

/** What to do about a particle that is too large. */
export const reduceSizeHint =
  'Scale its pictures down to the size they are shown in, or save them as JPEG or WebP.'

interface ParticleSource {
  /** The file that holds it, or the text itself. */
  readonly file: RequestFile | undefined
  readonly html: string | undefined
}

/**
 * The size in bytes of a particle's source, given at a place of the request. Reads nothing. Throws 6014 where it is
 * not an .html file, 6016 where it is too large.
 */
export function checkSourceSize({ file, html }: ParticleSource, place: string): number {
  if (file && !/\.html$/i.test(file.name)) {
    throw new MediaError(6014, `${place}: ${file.name} is not an .html file`, {
      hint: saveAsHtmlHint,
    })
  }
  const bytes = file?.size ?? Buffer.byteLength(html ?? '')
  if (bytes <= maxSourceBytes) return bytes
  throw new MediaError(6016, `${place}: the particle has more than 16 MiB`, { hint: reduceSizeHint })
}

import { MediaError } from '../../contract/errors.ts'
import { saveAsHtmlHint } from '../../contract/file.ts'
import type { RequestFile } from '../../contract/operation.ts'

/** Largest source in bytes, with room for embedded pictures. */
const maxSourceBytes = 16 * 2 ** 20

/** Error hint for a source that is too large. */
export const reduceSizeHint =
  'Scale its pictures down to the size they are shown in, or save them as JPEG or WebP.'

interface ParticleSource {
  /** The file, if the source is not in the request. */
  readonly file: RequestFile | undefined
  readonly html: string | undefined
}

/**
 * Returns the size of a particle's source in bytes, without reading it. field: its path in the request, for errors.
 * Throws 6014 if it is not an .html file, 6016 if it is too large.
 */
export function checkSourceSize({ file, html }: ParticleSource, field: string): number {
  if (file && !/\.html$/i.test(file.name)) {
    throw new MediaError(6014, `${field}: ${file.name} is not an .html file`, {
      hint: saveAsHtmlHint,
    })
  }
  const bytes = file?.size ?? Buffer.byteLength(html ?? '')
  if (bytes <= maxSourceBytes) return bytes
  throw new MediaError(6016, `${field}: the particle is larger than 16 MiB`, { hint: reduceSizeHint })
}

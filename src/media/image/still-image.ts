import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import type { RequestFile } from '../../contract/operation.ts'

/**
 * Returns the picture of a still image, named by a field of a request. Throws 6014 for moving pictures, whatever their
 * extension, and for files without a picture.
 */
export function checkStillImage(
  { name, facts }: Pick<RequestFile, 'name' | 'facts'>,
  { field = 'file_id', hint = 'Give a JPEG, PNG, WebP or BMP.' } = {},
): VideoFacts {
  const video = facts?.video
  if (video && video.frame_rate.num === 0) return video
  throw new MediaError(6014, `${field}: ${name} is not a still image`, { hint })
}

import { MediaError } from '../../contract/errors.ts'

/** The error of one of several images. Its message does not name it. */
export class ImageError extends MediaError {
  /** Index of the image in the list that was to be embedded. */
  readonly index: number

  constructor({ code, message, hint, retryable, cause }: MediaError, index: number) {
    super(code, message, { hint, retryable, cause })
    this.index = index
  }
}

/** The error of a service that refuses images, such as one that embeds only texts. */
export class ImagesRefusedError extends MediaError {
  constructor(service: string, cause: unknown) {
    super(6401, `${service} does not embed images`, {
      cause,
      retryable: false,
      hint: 'Send texts alone, set "embedding" to a server that embeds images, or remove it and install siglip2-base.',
    })
  }
}

/** Runs work on one image of a list. Its errors become those of that image. */
export async function forImage<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof MediaError ? new ImageError(error, index) : error
  }
}

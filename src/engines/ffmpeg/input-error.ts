import { MediaError } from '../../contract/errors.ts'

/** Returns whether the file caused a failure of ffmpeg, rather than the machine, a timeout or an abort. */
export function isInputError(error: unknown): boolean {
  return error instanceof MediaError && [6017, 6021, 6500].includes(error.code)
}

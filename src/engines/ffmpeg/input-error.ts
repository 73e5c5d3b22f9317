import { MediaError } from '../../contract/errors.ts'

/** Whether the file explains a failure of ffmpeg, rather than the machine, too little time or an abort. */
export function isInputError(error: unknown): boolean {
  return error instanceof MediaError && [6017, 6021, 6500].includes(error.code)
}

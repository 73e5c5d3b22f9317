import { MediaError } from '../contract/errors.ts'
import type { GivenFile, GivenFiles } from '../contract/operation.ts'

/** The files of a request, by file id. */
export function givenFiles<F extends GivenFile>(byId: ReadonlyMap<string, F>): GivenFiles<F> {
  return {
    get(fileId) {
      const file = byId.get(fileId)
      if (!file) throw new MediaError(6004, `there is no file ${JSON.stringify(fileId)} in this request`)
      return file
    },
  }
}

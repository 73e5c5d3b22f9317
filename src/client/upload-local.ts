import { MediaError } from '../contract/errors.ts'
import { routes } from '../contract/routes.ts'
import type { OpenUploadSession } from '../contract/upload.ts'
import type { Client } from './client.ts'
import type { UploadSource } from './upload-source.ts'

/** What a service says that takes no files by path, or not this one. */
const importRefusedCodes: readonly MediaError['code'][] = [6004, 6005, 6016]

/**
 * Has a service on the same machine take parts from the file itself, one at a call, so that their bytes travel
 * nowhere. Where it cannot, it answers false and the service is not asked again: the bytes must be sent.
 */
export function localPartImporter(
  { client, source }: { readonly client: Client; readonly source: UploadSource },
  { upload_id, local_import }: OpenUploadSession,
): (index: number, signal: AbortSignal) => Promise<boolean> {
  let local = local_import ? source.local : undefined
  return async (index, signal) => {
    if (!local) return false
    const params = { upload_id, index: String(index) }
    try {
      await client.call(routes.importPart, { params, body: local, signal })
      return true
    } catch (error) {
      if (!(error instanceof MediaError) || !importRefusedCodes.includes(error.code)) throw error
      local = undefined
      return false
    }
  }
}

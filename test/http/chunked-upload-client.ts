import type { FileRecord } from '../../src/contract/file.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { OpenUploadSession, UploadStatus } from '../../src/contract/upload.ts'
import type { Db } from '../../src/db/schema.ts'
import { createHasher } from '../../src/platform/hash.ts'
import { api, type ApiResponse } from '../service/api.ts'

/** Response to a stored part. */
interface PartStored {
  readonly upload_id: string
  readonly index: number
  readonly received: number
  readonly total_parts: number
}

type Body = Uint8Array<ArrayBuffer> | string

/** Plain requests of a chunked upload. */
export function chunkedUploadClient(account: { baseUrl: string; apiKey: string }) {
  const { send } = api(account)
  const call = <T>(route: { method: string; path: string }, parameters: Record<string, string>, init = {}) =>
    send<T>(fillPath(route.path, parameters), { method: route.method, ...init })
  return {
    /** Sends init with any JSON. */
    init: (body: unknown) =>
      send<OpenUploadSession>(routes.initUpload.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    put: (uploadId: string, index: number | string, body: Body, blake3?: string) =>
      send<PartStored>(
        fillPath(routes.uploadPart.path, { upload_id: uploadId, index: String(index) }) +
          (blake3 === undefined ? '' : `?blake3=${blake3}`),
        { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body },
      ),
    status: (uploadId: string) => call<UploadStatus>(routes.uploadStatus, { upload_id: uploadId }),
    complete: (uploadId: string) => call<FileRecord>(routes.completeUpload, { upload_id: uploadId }),
    abort: (uploadId: string): Promise<ApiResponse<{ upload_id: string; aborted: boolean }>> =>
      call(routes.abortUpload, { upload_id: uploadId }),
  }
}

/** Sets a smaller part size for an empty upload, so that tests need not send 32 MiB. */
export async function setPartSize(db: Db, uploadId: string, partSize: number): Promise<void> {
  await db.updateTable('uploads').set({ part_size: partSize }).where('id', '=', uploadId).execute()
}

/** Makes a file older, ms. */
export async function ageFile(db: Db, { file_id }: FileRecord, ms: number): Promise<void> {
  await db
    .updateTable('files')
    .set((eb) => ({ expire_at: eb('expire_at', '-', ms), created_at: eb('created_at', '-', ms) }))
    .where('id', '=', file_id)
    .execute()
}

/** BLAKE3 of bytes or text, hex. */
export async function hashOf(bytes: Uint8Array | string): Promise<string> {
  const hasher = await createHasher()
  hasher.update(Buffer.from(bytes))
  return hasher.digest()
}

import { uploadFile } from '../client/upload.ts'
import { MediaError } from '../contract/errors.ts'
import type { FileKind } from '../contract/file-kind.ts'
import type { FileRecord } from '../contract/file.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import { openAllowedFile, type OpenedFile } from './open-allowed.ts'
import { openRemoteFile } from './remote-file.ts'
import type { Session } from './session.ts'

/** Open files that are waiting for upload, by the path or URL that the agent wrote. */
export interface OpenedFiles extends AsyncDisposable {
  readonly byPath: ReadonlyMap<string, OpenedFile>
}

/**
 * Whether a text is a path or URL, and not a file id. A file id consists of digits alone and is not the name of a file
 * in the workspace. Throws 6016 for a URL that is not accepted.
 */
export async function isPath(session: Session, text: string): Promise<boolean> {
  return isRemoteAddress(session, text) || !/^\d+$/.test(text) || (await session.delivery.hasFile(text))
}

/** Whether a text is an https URL. Throws 6016 for other URLs, or if the operator does not allow URLs. */
function isRemoteAddress({ allowUrls }: Session, text: string): boolean {
  if (!/^(https?|ftp|data):/i.test(text)) return false
  if (allowUrls && /^https:/i.test(text)) return true
  throw new MediaError(6016, `${text.slice(0, 80)} is a remote URL`, {
    hint:
      'Download the file first, then give its path, or upload it and give its file_id.' +
      (allowUrls ? '' : ' With allow_urls (REELWRIGHT_ALLOW_URLS) this server accepts https URLs.'),
  })
}

/**
 * Opens files by path or URL, each with its accepted kinds. The caller closes them together; if one is rejected, all are
 * closed. explain: adds details to the error of a rejected file.
 */
export async function openFiles(
  session: Session,
  wanted: ReadonlyMap<string, readonly FileKind[]>,
  explain: (error: unknown, path: string) => unknown = (error) => error,
): Promise<OpenedFiles> {
  const byPath = new Map<string, OpenedFile>()
  const close = async (): Promise<void> => {
    await Promise.all([...byPath.values()].map(({ handle }) => handle.close()))
  }
  try {
    for (const [path, kinds] of wanted) {
      try {
        const file = isRemoteAddress(session, path)
          ? await openRemoteFile(path, kinds)
          : await openAllowedFile(await session.delivery.folders(), path, kinds)
        byPath.set(path, file)
      } catch (error) {
        throw await explain(error, path)
      }
    }
  } catch (error) {
    await close()
    throw error
  }
  return { byPath, [Symbol.asyncDispose]: close }
}

/** Limits the remote files on this disk, in all sessions: each may take 20 GiB until it is uploaded. */
const limitFetches = limitConcurrency(4)

/** Uploads opened files one after another and returns their records by path. Remote files are fetched first. Progress is 0 to 100. */
export async function uploadFiles(
  session: Session,
  files: OpenedFiles,
  context: { signal: AbortSignal; progress: (percent: number) => void },
): Promise<Map<string, FileRecord>> {
  const { signal } = context
  const opened = [...files.byPath]
  // The size of a remote file is unknown, so with one among them all files count the same.
  const weightOf = ({ size }: OpenedFile): number => (opened.some(([, { fill }]) => fill) ? 1 : size)
  const total = opened.reduce((sum, [, file]) => sum + weightOf(file), 0)
  const records = new Map<string, FileRecord>()
  let done = 0
  for (const [path, file] of opened) {
    const weight = weightOf(file)
    const progress = (share: number): void => context.progress(((done + share * weight) / total) * 100)
    const fetchAndUpload = async (): Promise<FileRecord> => {
      const fetched = await file.fill?.(signal, (share) => progress(share / 2))
      const source = fetched === undefined ? file : { ...file, size: fetched }
      const startShare = fetched === undefined ? 0 : 0.5
      const onProgress = (share: number): void => progress(startShare + share * (1 - startShare))
      return await uploadOnce(session, source, { signal, onProgress })
    }
    const record = await (file.fill ? limitFetches(fetchAndUpload) : fetchAndUpload())
    records.set(path, record)
    session.files.remember(record.file_id, { name: file.name })
    done += weight
  }
  return records
}

async function uploadOnce(
  session: Session,
  file: OpenedFile,
  options: Parameters<typeof uploadFile>[2],
): Promise<FileRecord> {
  const { activeUploads, hashes, client } = session
  const active = activeUploads.get(file.identity)
  if (active) return active
  const upload = uploadFile(client, file, { ...options, blake3: hashes.get(file.identity) })
  activeUploads.set(file.identity, upload)
  try {
    const record = await upload
    if (file.isSettled) hashes.remember(file.identity, record.blake3_id)
    return record
  } finally {
    activeUploads.delete(file.identity)
  }
}

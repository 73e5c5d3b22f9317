import { uploadFile } from '../client/upload.ts'
import { MediaError } from '../contract/errors.ts'
import type { FileKind } from '../contract/file-kind.ts'
import type { FileRecord } from '../contract/file.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import { openAllowedFile, type OpenedFile } from './open-allowed.ts'
import { openRemoteFile } from './remote-file.ts'
import type { Session } from './session.ts'

/** Local files held open until they are uploaded, by the path as the agent wrote it. */
export interface OpenedFiles extends AsyncDisposable {
  readonly byPath: ReadonlyMap<string, OpenedFile>
}

/** Tells a path or address from a file id: an id is digits alone, and names no file of the workspace. Throws 6016 for an address that is not taken. */
export async function isPath(session: Session, text: string): Promise<boolean> {
  return isRemoteAddress(session, text) || !/^\d+$/.test(text) || (await session.delivery.hasFile(text))
}

/** Tells an https address from the rest. Throws 6016 where it is none that the operator allows. */
function isRemoteAddress({ allowUrls }: Session, text: string): boolean {
  if (!/^(https?|ftp|data):/i.test(text)) return false
  if (allowUrls && /^https:/i.test(text)) return true
  throw new MediaError(6016, `${text.slice(0, 80)} is a remote address`, {
    hint:
      'Download the file first, then give its path, or upload it and give its file_id.' +
      (allowUrls ? '' : ' With allow_urls (REELWRIGHT_ALLOW_URLS) this server takes https addresses itself.'),
  })
}

/**
 * Opens files by path or address, each with the kinds wanted; all are closed together, and none stays open when one
 * is refused, of which `explain` may tell more.
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

/** Files from elsewhere that lie here at once, whoever named them: each may take 20 GiB until it is uploaded. */
const limitFetches = limitConcurrency(4)

/** Uploads opened files one after another, fetching those from elsewhere first; answers their ids by path. Progress is 0 to 100. */
export async function uploadFiles(
  session: Session,
  files: OpenedFiles,
  context: { signal: AbortSignal; progress: (percent: number) => void },
): Promise<Map<string, FileRecord>> {
  const { signal } = context
  const opened = [...files.byPath]
  // Nobody knows how large a file elsewhere is: then each counts the same.
  const weightOf = ({ size }: OpenedFile): number => (opened.some(([, { fill }]) => fill) ? 1 : size)
  const total = opened.reduce((sum, [, file]) => sum + weightOf(file), 0)
  const records = new Map<string, FileRecord>()
  let before = 0
  for (const [path, file] of opened) {
    const weight = weightOf(file)
    const progress = (share: number): void => context.progress(((before + share * weight) / total) * 100)
    const bring = async (): Promise<FileRecord> => {
      const fetched = await file.fill?.(signal, (share) => progress(share / 2))
      const source = fetched === undefined ? file : { ...file, size: fetched }
      const begun = fetched === undefined ? 0 : 0.5
      const onProgress = (share: number): void => progress(begun + share * (1 - begun))
      return await uploadOnce(session, source, { signal, onProgress })
    }
    const record = await (file.fill ? limitFetches(bring) : bring())
    records.set(path, record)
    session.files.remember(record.file_id, { name: record.original_name })
    before += weight
  }
  return records
}

async function uploadOnce(
  session: Session,
  file: OpenedFile,
  options: Parameters<typeof uploadFile>[2],
): Promise<FileRecord> {
  const underWay = session.activeUploads.get(file.identity)
  if (underWay) return underWay
  const sending = uploadFile(session.client, file, options)
  session.activeUploads.set(file.identity, sending)
  try {
    return await sending
  } finally {
    session.activeUploads.delete(file.identity)
  }
}

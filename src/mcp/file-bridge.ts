import * as z from 'zod'
import { uploadFile } from '../client/upload.ts'
import { MediaError } from '../contract/errors.ts'
import {
  findFileRefs,
  supportedHint,
  type FileKind,
  type FileRecord,
  type FileReference,
} from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { atMost } from '../platform/at-most.ts'
import { parseValues } from './arguments.ts'
import { openFileInside, type OpenedFile } from './open-inside.ts'
import { openRemoteFile } from './remote-file.ts'
import type { Session } from './session.ts'

/** Local files held open until they are uploaded, by the path as the agent wrote it. */
export interface LocalFiles extends AsyncDisposable {
  readonly byPath: ReadonlyMap<string, OpenedFile>
}

/** An operation's arguments, checked, with the local files among them opened. */
export interface PreparedInput {
  readonly files: LocalFiles
  /** The body of the creation, with file ids in place of paths. */
  body(ids: ReadonlyMap<string, string>): Record<string, unknown>
}

/** Stands for the id of a file that is not uploaded yet while the rest is checked. */
const placeholder = '0'

/** Checks an operation's arguments before a byte travels, and opens the local files among them. */
export async function prepareInput(
  session: Session,
  operation: Operation,
  args: Record<string, unknown>,
): Promise<PreparedInput> {
  const references = findFileRefs(operation.input, args).map(asText)
  const arePaths = await Promise.all(references.map(({ value }) => isPath(session, value)))
  const paths = references.filter((_, index) => arePaths[index])
  const body = (ids: ReadonlyMap<string, string>): Record<string, unknown> => {
    const filled = structuredClone(args)
    for (const { path, value } of paths) setAt(filled, path, ids.get(value) ?? placeholder)
    return filled
  }
  parseValues(operation.input, body(new Map()))
  const files = await openFiles(session, new Map(paths.map(({ value, kinds }) => [value, kinds])))
  try {
    for (const reference of paths) checkKind(reference, files.byPath.get(reference.value))
  } catch (error) {
    await files[Symbol.asyncDispose]()
    throw error
  }
  return { files, body }
}

/** Tells a path or address from a file id: an id is digits alone, and names no file of the workspace. Throws 6016 for an address that is not taken. */
export async function isPath(session: Session, text: string): Promise<boolean> {
  return isAddress(session, text) || !/^\d+$/.test(text) || (await session.place.has(text))
}

/** Tells an https address from the rest. Throws 6016 where it is none that the operator allows. */
function isAddress({ allowUrls }: Session, text: string): boolean {
  if (!/^(https?|ftp|data):/i.test(text)) return false
  if (allowUrls && /^https:/i.test(text)) return true
  throw new MediaError(6016, `${text.slice(0, 80)} is a remote address`, {
    hint:
      'Download the file first, then give its path, or upload it and give its file_id.' +
      (allowUrls ? '' : ' With allow_urls (REELWRIGHT_ALLOW_URLS) this server takes https addresses itself.'),
  })
}

/** Opens files by path or address, each with the kinds wanted; all are closed together, and none stays open when one is refused. */
export async function openFiles(
  session: Session,
  wanted: ReadonlyMap<string, readonly FileKind[]>,
): Promise<LocalFiles> {
  const byPath = new Map<string, OpenedFile>()
  const close = async (): Promise<void> => {
    await Promise.all([...byPath.values()].map(({ handle }) => handle.close()))
  }
  try {
    for (const [path, kinds] of wanted) {
      const file = isAddress(session, path)
        ? await openRemoteFile(path, kinds)
        : await openFileInside(await session.place.folders(), path, kinds)
      byPath.set(path, file)
    }
  } catch (error) {
    await close()
    throw error
  }
  return { byPath, [Symbol.asyncDispose]: close }
}

/** Files from elsewhere that lie here at once, whoever named them: each may take 20 GiB until it is uploaded. */
const fewFetched = atMost(4)

/** Uploads opened files one after another, fetching those from elsewhere first; answers their ids by path. Progress is 0 to 100. */
export async function uploadFiles(
  session: Session,
  files: LocalFiles,
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
      return await sendOnce(session, source, { signal, onProgress })
    }
    const record = await (file.fill ? fewFetched(bring) : bring())
    records.set(path, record)
    session.files.remember(record.file_id, { name: record.original_name })
    before += weight
  }
  return records
}

async function sendOnce(
  session: Session,
  file: OpenedFile,
  options: Parameters<typeof uploadFile>[2],
): Promise<FileRecord> {
  const underWay = session.sending.get(file.identity)
  if (underWay) return underWay
  const sending = uploadFile(session.client, file, options)
  session.sending.set(file.identity, sending)
  try {
    return await sending
  } finally {
    session.sending.delete(file.identity)
  }
}

function asText({ path, kinds, value }: FileReference): FileReference & { readonly value: string } {
  if (typeof value === 'string' && value !== '') return { path, kinds, value }
  const why = typeof value === 'number' ? 'as a number an id has lost digits' : 'it is empty or not text'
  throw new MediaError(6016, `${z.core.toDotPath(path)}: ${why}`, {
    hint: 'Give a path or a file id as a string.',
  })
}

function checkKind({ path, kinds, value }: FileReference, file: OpenedFile | undefined): void {
  if (!file || kinds.includes(file.kind)) return
  throw new MediaError(6014, `${z.core.toDotPath(path)}: ${String(value)} is not ${kinds.join(' or ')}`, {
    hint: supportedHint(kinds),
  })
}

function setAt(target: Record<string, unknown>, path: FileReference['path'], value: string): void {
  let holder: Record<string | number, unknown> = target
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>
  const last = path.at(-1)
  if (last !== undefined) holder[last] = value
}

import { hash } from 'node:crypto'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import type { FileKind } from '../contract/file-kind.ts'
import { findFileRefs, wrongKindError, type FileReference } from '../contract/file.ts'
import { id } from '../contract/fields.ts'
import type { Operation } from '../contract/operation.ts'
import { fieldSchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { rejectIgnoredArguments, removeEmptyArguments, validateArguments } from './arguments.ts'
import { parentOf, setAt } from './nested-values.ts'
import { isPath, openFiles, type OpenedFiles } from './upload-files.ts'
import { folderError, openAllowedFile, type OpenedFile } from './open-allowed.ts'
import type { Session } from './session.ts'
import { takesSoundOfVideo } from './video-sound.ts'

/** Validated arguments of an operation, with its local files open. */
export interface PreparedInput {
  readonly files: OpenedFiles
  /** Equal for calls with the same arguments and the same files. */
  readonly fingerprint: string
  /** Body of the creation request, with file ids in place of paths. */
  body(ids: ReadonlyMap<string, string>): Record<string, unknown>
}

/** Replaces the id of a file that is not uploaded yet during validation. */
const placeholder = '0'

/** Validates an operation's arguments before anything is uploaded, and opens its local files. */
export async function prepareInput(
  session: Session,
  operation: Operation,
  given: Record<string, unknown>,
): Promise<PreparedInput> {
  const { args, ignored: unread } = removeEmptyArguments(operation, given)
  const references = findFileRefs(operation.input, args).map(toTextReference)
  const arePaths = await Promise.all(references.map(({ value }) => isPath(session, value)))
  const paths = references.filter((_, index) => arePaths[index])
  const body = (ids: ReadonlyMap<string, string>): Record<string, unknown> => {
    const filled = structuredClone(args)
    for (const { path, value } of paths) setAt(filled, path, ids.get(value) ?? placeholder)
    return filled
  }
  const serviceChecked = paths.length > 0 ? serviceCheckedFields(operation.input) : z.object({})
  const check = (ids: ReadonlyMap<string, string>) => {
    const known = Object.entries(body(ids)).filter(
      ([name]) => fieldSchema(serviceChecked, name) === undefined,
    )
    return validateArguments(operation.input, Object.fromEntries(known))
  }
  try {
    check(new Map())
  } catch (error) {
    throw (await loneFolderError(session, paths)) ?? error
  }
  const serviceFields = validateArguments(serviceChecked, args)
  rejectIgnoredArguments(operation, body(new Map()), unread)
  const files = await openFiles(session, kindsByPath(paths), (error, value) =>
    addArgumentPath(session, error, { args, references, value }),
  )
  try {
    for (const reference of paths) checkKind(reference, files.byPath.get(reference.value))
    // Rules about several references can be checked only now that equal files are known.
    const identities = [...files.byPath].map(
      ([path, { identity }]) => [path, hash('sha256', identity)] as const,
    )
    const validated = [check(new Map(identities)), serviceFields]
    return { files, body, fingerprint: JSON.stringify([operation.name, ...validated]) }
  } catch (error) {
    await files[Symbol.asyncDispose]()
    throw error
  }
}

/** Optional id fields that accept no path: only the service can compare them with the ids of uploaded files. */
function serviceCheckedFields({ shape }: z.ZodObject): z.ZodObject {
  return z.object(
    Object.fromEntries(
      Object.entries(shape).filter(([, field]) => field !== id && unwrapSchema(field) === id),
    ),
  )
}

/**
 * Error for a folder that is the only file of a list: it explains more than the number of items. Undefined for all else.
 */
async function loneFolderError(
  session: Session,
  paths: readonly TextReference[],
): Promise<MediaError | undefined> {
  const [only] = paths
  if (!only || paths.length > 1 || only.path.length === 1) return undefined
  try {
    const error = await folderError(await session.delivery.folders(), only.value)
    return error?.at(z.core.toDotPath(only.path))
  } catch {
    // Agents on other machines name no paths, and paths outside the allowed folders reveal nothing.
    return undefined
  }
}

function kindsByPath(references: readonly TextReference[]): Map<string, readonly FileKind[]> {
  return new Map(references.map(({ value, kinds }) => [value, kinds]))
}

interface ArgumentReferences {
  readonly args: unknown
  readonly references: readonly TextReference[]
}

/** Adds the argument path to the error of a rejected file, and suggests a file that a sibling field names. */
async function addArgumentPath(
  session: Session,
  error: unknown,
  { value, ...named }: ArgumentReferences & { readonly value: string },
): Promise<unknown> {
  const reference = named.references.find((one) => one.value === value)
  if (!(error instanceof MediaError) || !reference) return error
  const argument = z.core.toDotPath(reference.path)
  const sibling = error.code === 6004 ? await findFileInSibling(session, reference, named) : undefined
  if (!sibling) return error.at(argument)
  const example = `${JSON.stringify(reference.path.at(-1))}: ${JSON.stringify(sibling.name)}`
  const hint = `Give the file itself here: ${example} (${sibling.field} does not name it). ${error.hint}`
  return error.at(argument, hint)
}

/** A file that another field of the same object names, although that field accepts no files. */
async function findFileInSibling(
  session: Session,
  { path, kinds }: TextReference,
  { args, references }: ArgumentReferences,
): Promise<{ readonly field: string; readonly name: string } | undefined> {
  const referencePaths = new Set(references.map((one) => z.core.toDotPath(one.path)))
  for (const [field, name] of Object.entries(parentOf(args, path))) {
    const isReference = referencePaths.has(z.core.toDotPath([...path.slice(0, -1), field]))
    if (typeof name === 'string' && !isReference && (await isFileOfKind(session, name, kinds)))
      return { field, name }
  }
  return undefined
}

async function isFileOfKind(session: Session, path: string, kinds: readonly FileKind[]): Promise<boolean> {
  try {
    const { handle, kind } = await openAllowedFile(await session.delivery.folders(), path, kinds)
    await handle.close()
    return kinds.includes(kind)
  } catch {
    return false
  }
}

type TextReference = FileReference & { readonly value: string }

function toTextReference({ value, ...reference }: FileReference): TextReference {
  if (typeof value === 'string' && value !== '') return { ...reference, value }
  const why =
    typeof value === 'number' ? 'an id given as a number has lost digits' : 'it is empty or not a string'
  throw new MediaError(6016, `${z.core.toDotPath(reference.path)}: ${why}`, {
    hint: 'Give a path or a file id as a string.',
  })
}

/** Throws 6014 for a file of another kind than its field accepts. The sound of a video is extracted for audio fields. */
export function checkKind(reference: FileReference, file: OpenedFile | undefined): void {
  if (!file || reference.kinds.includes(file.kind)) return
  if (file.kind === 'video' && takesSoundOfVideo(reference)) return
  throw wrongKindError(reference, String(reference.value))
}

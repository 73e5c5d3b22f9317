import { basename, dirname } from 'node:path'
import { safeFileName } from '../client/file-names.ts'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import type { FileDetails } from '../contract/file.ts'
import type { InputFile } from './session.ts'

/** Name of a result: where it begins with the stored name of an input, with that input's own name. */
export function ownName(name: string, inputFiles: readonly InputFile[]): string {
  for (const { name: own, storedName } of inputFiles) {
    const stem = nameStem(storedName)
    const rest = name.slice(stem.length)
    if (name.startsWith(stem) && /^[-.]/.test(rest)) return nameStem(own) + rest
  }
  return name
}

/** Name of a file without its extension. */
export function nameStem(name: string): string {
  return name.slice(0, name.length - extensionOf(name).length)
}

/** `save_to` names a file if it ends in a supported extension, without a trailing slash. */
export function splitSaveTo(saveTo: string): { readonly folder: string; readonly name?: string } {
  const isFile = kindOf(extensionOf(basename(saveTo))) !== undefined && !/[/\\]$/.test(saveTo)
  return isFile ? { folder: dirname(saveTo), name: safeFileName(basename(saveTo)) } : { folder: saveTo }
}

/** A file with what is needed to download and name it. */
export interface SavableFile {
  readonly record: Pick<FileDetails, 'original_name' | 'size' | 'blake3_id' | 'base_ext' | 'download_url'>
  /** Its role among the results of a task. */
  readonly role?: string
}

interface NamedFile<F> {
  readonly file: F
  readonly wanted: string
  readonly note?: string
}

/**
 * Chooses file names: the service's suggestions, or the agent's name with the extension of each file's own type. Further
 * files of the same type have their role in the name.
 */
export function chooseFileNames<F extends SavableFile>(
  files: readonly F[],
  name: string | undefined,
): NamedFile<F>[] {
  if (name === undefined)
    return files.map((file) => ({ file, wanted: safeFileName(file.record.original_name) }))
  const requestedExtension = extensionOf(name)
  const stem = name.slice(0, -requestedExtension.length)
  const types = files.map(({ record }) => record.base_ext.toLowerCase())
  const matchesNoType = types.every(
    (type) => normalizeExtension(type) !== normalizeExtension(requestedExtension),
  )
  return files.map((file, index) => {
    const type = types[index] ?? ''
    const role = types.indexOf(type) < index ? `-${file.role}` : ''
    const extension =
      normalizeExtension(type) === normalizeExtension(requestedExtension) ? name.slice(stem.length) : type
    const hasNote = matchesNoType && index === 0
    return {
      ...{ file, wanted: safeFileName(stem + role + extension) },
      ...(hasNote && { note: `The file is ${type}, so it is not named ${requestedExtension}.` }),
    }
  })
}

function normalizeExtension(extension: string): string {
  return extension === '.jpeg' ? '.jpg' : extension
}

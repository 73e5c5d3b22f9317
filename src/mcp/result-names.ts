import { basename, dirname } from 'node:path'
import { safeFileName } from '../client/file-names.ts'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import type { FileDetails } from '../contract/file.ts'
import type { ResultFile } from './file-delivery.ts'
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

/** A result file with its record. */
export interface FileToSave {
  readonly file: ResultFile
  readonly record: FileDetails
}

type NamedFile = FileToSave & { readonly wanted: string; readonly note?: string }

/**
 * Chooses file names: the service's suggestions, or the agent's name with the extension of each file's own type. Further
 * files of the same type have their role in the name.
 */
export function chooseFileNames(found: readonly FileToSave[], name: string | undefined): NamedFile[] {
  if (name === undefined)
    return found.map((one) => ({ ...one, wanted: safeFileName(one.record.original_name) }))
  const requestedExtension = extensionOf(name)
  const stem = name.slice(0, -requestedExtension.length)
  const types = found.map(({ record }) => record.base_ext.toLowerCase())
  const matchesNoType = types.every(
    (type) => normalizeExtension(type) !== normalizeExtension(requestedExtension),
  )
  return found.map((one, index) => {
    const type = types[index] ?? ''
    const role = types.indexOf(type) < index ? `-${one.file.role}` : ''
    const extension =
      normalizeExtension(type) === normalizeExtension(requestedExtension) ? name.slice(stem.length) : type
    const hasNote = matchesNoType && index === 0
    return {
      ...{ ...one, wanted: safeFileName(stem + role + extension) },
      ...(hasNote && { note: `The file is ${type}, so it is not named ${requestedExtension}.` }),
    }
  })
}

function normalizeExtension(extension: string): string {
  return extension === '.jpeg' ? '.jpg' : extension
}

import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

let searchFolders: readonly string[] = []

/** Sets the PATH that programs are searched on. */
export function setSearchPath(path: string | undefined): void {
  searchFolders = splitSearchPath(path)
}

/** Folders of the PATH set by `setSearchPath`. */
export function searchPath(): readonly string[] {
  return searchFolders
}

/** Splits a PATH into its folders, in order. */
export function splitSearchPath(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter((folder) => folder !== '')
}

/** Root folder of this program. */
export const programFolder = join(import.meta.dirname, '..', '..')

/** Version of this package. */
export async function packageVersion(): Promise<string> {
  const path = join(programFolder, 'package.json')
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  return String((manifest as { version: unknown }).version)
}

import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, parse } from 'node:path'

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

/**
 * Home folder of the user. The root folder for a user that has none, as in containers: without the variable HOME and an
 * entry in the list of users.
 */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return parse(process.cwd()).root
  }
}

/** Root folder of this program. */
export const programFolder = join(import.meta.dirname, '..', '..')

/** Version of this package. */
export async function packageVersion(): Promise<string> {
  const path = join(programFolder, 'package.json')
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  return String((manifest as { version: unknown }).version)
}

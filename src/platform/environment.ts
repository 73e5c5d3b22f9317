import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

let searchFolders: readonly string[] = []

/** Tells the PATH to look for programs on. */
export function setSearchPath(path: string | undefined): void {
  searchFolders = splitSearchPath(path)
}

/** The folders of the PATH that was told. */
export function searchPath(): readonly string[] {
  return searchFolders
}

/** The folders of a PATH, in its order. */
export function splitSearchPath(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter((folder) => folder !== '')
}

/** Version of this package. */
export async function packageVersion(): Promise<string> {
  const path = join(import.meta.dirname, '..', '..', 'package.json')
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  return String((manifest as { version: unknown }).version)
}

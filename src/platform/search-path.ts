import { delimiter } from 'node:path'

let folders: readonly string[] = []

/** Tells the PATH to look for programs on. */
export function lookOn(path: string | undefined): void {
  folders = foldersOf(path)
}

/** The folders of the PATH that was told. */
export function searchPath(): readonly string[] {
  return folders
}

/** The folders of a PATH, in its order. */
export function foldersOf(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter((folder) => folder !== '')
}

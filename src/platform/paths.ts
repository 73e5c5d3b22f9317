import { posix, win32 } from 'node:path'

/** Operating systems by the names that Node gives them. */
export type Platform = NodeJS.Platform

/**
 * Whether a path is a folder or inside it; both absolute. Letters of both cases are equal on macOS and Windows, whose
 * file systems ignore case by default.
 */
export function isInside(folder: string, path: string, platform?: Platform): boolean {
  return firstPartInside(folder, path, platform) !== undefined
}

/** The first part of a path below a folder that contains it: empty for the folder itself; undefined if it is elsewhere. */
export function firstPartInside(
  folder: string,
  path: string,
  platform: Platform = process.platform,
): string | undefined {
  const { parse, relative, sep } = platform === 'win32' ? win32 : posix
  const rest = relative(comparablePath(folder, platform), comparablePath(path, platform))
  const [first = ''] = rest.split(sep)
  return first === '..' || parse(rest).root !== '' ? undefined : first
}

/** Those of several absolute paths that are not inside another one. */
export function outermostFolders(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(other, path)))
}

/** A path in the form in which the file systems of a platform compare it. */
function comparablePath(path: string, platform: Platform): string {
  // `relative` of Windows ignores case itself. macOS also treats composed and decomposed letters as equal.
  return platform === 'darwin' ? path.normalize('NFC').toLowerCase() : path
}

import { parse, relative, sep } from 'node:path'

/** Folders of the system, by their real paths (macOS keeps /etc and /var in /private): never an agent's, nor anything inside. */
const closedTrees = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/private/etc',
  '/proc',
  '/sbin',
  '/sys',
  '/usr/bin',
  '/usr/lib',
  '/usr/sbin',
  '/System',
  'C:\\Windows',
  'C:\\Program Files',
  'C:\\Program Files (x86)',
]

/** Too wide to be an agent's as a whole; folders inside may be. */
const closedFolders = [
  '/Applications',
  '/Library',
  '/Users',
  '/Volumes',
  '/home',
  '/mnt',
  '/opt',
  '/private',
  '/private/var',
  '/run',
  '/usr',
  '/var',
  'C:\\Users',
]

/** Why a folder (a real, absolute path) may not be opened to agents; undefined when it may. */
export function closedReason(folder: string): string | undefined {
  if (folder === parse(folder).root) return 'it is the root of the file system'
  if (closedTrees.some((closed) => isInside(closed, folder))) return 'it is a system folder'
  if (closedFolders.includes(folder)) return 'it is too wide; name a folder inside it'
  return undefined
}

/** Tells whether a path is a folder itself or lies in it; both absolute and real. */
export function isInside(folder: string, path: string): boolean {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && parse(rest).root === '')
}

/** The part of a path below a folder that is hidden (`.ssh` in `.ssh/id`), if any. */
export function hiddenPart(folder: string, path: string): string | undefined {
  return relative(folder, path)
    .split(sep)
    .find((part) => part.startsWith('.') && part !== '..')
}

import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MediaError } from '../contract/errors.ts'
import { createFolder, resolveLinks } from '../platform/folder.ts'
import { isInside } from '../platform/paths.ts'
import { findPrivateFolder, narrowFolders, type PrivateFolder } from '../platform/private-folders.ts'
import { homeFolder } from '../platform/environment.ts'

/** Settings of the folders that an agent may use. */
export interface WorkspaceOptions {
  /** Set by the operator: `--allow-dir` and `REELWRIGHT_ALLOWED_DIRS`. */
  readonly allowedFolders: readonly string[]
  /** Base of relative paths and folder for results; allowed as well. */
  readonly workspace?: string | undefined
  /** Project folder of the client (`CLAUDE_PROJECT_DIR`); allowed as well. */
  readonly projectFolder?: string | undefined
  /** Used if nothing else is set; created on first use. */
  readonly defaultFolder: string
  /** Folders of the service: never read or written, whatever is allowed. None by default, for a service elsewhere. */
  readonly privateFolders?: readonly PrivateFolder[]
}

/** The current folders, as real absolute paths. */
export interface Folders {
  /** Base of relative paths and folder for results. */
  readonly workspace: string
  /** Folders that may be read and written with everything inside; includes the workspace. */
  readonly allowed: readonly string[]
  /** Whether neither the operator nor the client set a folder. */
  readonly isDefault: boolean
  /** Configured folders that are not used, with the reason. */
  readonly refused: readonly { readonly folder: string; readonly why: string }[]
  /** Folders of the service, refused also where they are inside an allowed one. */
  readonly privateFolders: readonly PrivateFolder[]
}

/** The folders that an agent may use. */
interface Workspace {
  folders(): Promise<Folders>
  /** Sets the client's roots, used only if the operator set no folder. */
  setRoots(roots: Promise<readonly string[]>): void
}

/** Applies the rules: settings, else the client's roots, else the default folder. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { workspace, projectFolder, allowedFolders, defaultFolder } = options
  const settings = [workspace, projectFolder, ...allowedFolders].filter((folder) => folder !== undefined)
  let roots: Promise<readonly string[]> = Promise.resolve([])

  async function folders(): Promise<Folders> {
    const wanted = settings.length > 0 ? settings : await roots
    const usersFolders = [...wanted, defaultFolder, homeFolder(), tmpdir()].map((folder) => resolve(folder))
    const privateFolders = await narrowFolders(options.privateFolders ?? [], usersFolders)
    if (workspace !== undefined && (await refusalReason(resolve(workspace), privateFolders)) === undefined) {
      // If that fails, checkFolder reports it.
      await createFolder(workspace).catch(() => undefined)
    }
    const checked = await Promise.all(wanted.map((folder) => checkFolder(folder, privateFolders)))
    const allowed = [...new Set(checked.flatMap((result) => ('real' in result ? [result.real] : [])))]
    const refused = checked.flatMap((result) => ('why' in result ? [result] : []))
    const [first] = allowed
    const common = { refused, privateFolders }
    if (first !== undefined) return { ...common, workspace: first, allowed, isDefault: false }
    const real = await createDefaultFolder(defaultFolder, privateFolders)
    return { ...common, workspace: real, allowed: [real], isDefault: wanted.length === 0 }
  }

  return {
    folders,
    setRoots(clientRoots) {
      roots = clientRoots.catch(() => [])
    },
  }
}

async function createDefaultFolder(
  folder: string,
  privateFolders: readonly PrivateFolder[],
): Promise<string> {
  const hint = 'Set a writable folder with --allow-dir <folder> or REELWRIGHT_WORKSPACE.'
  const used = await findPrivateFolder(privateFolders, await resolveLinks(resolve(folder)))
  if (used)
    throw new MediaError(6016, `The workspace ${folder} cannot be used: ${describePrivate(used)}`, { hint })
  try {
    await createFolder(folder)
    return await realpath(folder)
  } catch (cause) {
    throw new MediaError(6016, `The workspace ${folder} cannot be created`, { cause, hint })
  }
}

async function checkFolder(
  folder: string,
  privateFolders: readonly PrivateFolder[],
): Promise<{ real: string } | { folder: string; why: string }> {
  try {
    const real = await realpath(folder)
    if (!(await stat(real)).isDirectory()) return { folder, why: 'it is not a folder' }
    const why = await refusalReason(real, privateFolders)
    return why === undefined ? { real } : { folder, why }
  } catch {
    return { folder, why: 'it does not exist or cannot be read' }
  }
}

/** The reason why a folder, existing or not, must not be opened to agents; undefined if it may. */
async function refusalReason(
  folder: string,
  privateFolders: readonly PrivateFolder[],
): Promise<string | undefined> {
  const used = await findPrivateFolder(privateFolders, await resolveLinks(folder))
  return used ? `${describePrivate(used)}; use another folder` : closedReason(folder)
}

function describePrivate({ use, path }: PrivateFolder): string {
  return `it is in the ${use} ${path}, which only the service uses`
}

/** Hints why no other folder is allowed: none is configured, or configured ones are not used. */
export function folderHints(folders: Folders): string[] {
  if (folders.isDefault) return ['No other folder is configured: start the server with --allow-dir <folder>.']
  return unusedFolderHints(folders)
}

function unusedFolderHints({ refused }: Folders): string[] {
  return refused.map(({ folder, why }) => `${folder} is configured but not used: ${why}.`)
}

/** Longest path of Linux, in characters at most. */
export const maxPathLength = 4096

/** Makes an agent's path absolute: relative paths start from the workspace, `~` is the home folder. Throws 6016 for an invalid path. */
export function toAbsolute({ workspace }: Folders, given: string): string {
  if (given.length > maxPathLength) {
    throw new MediaError(6016, `A path may have at most ${maxPathLength} characters`)
  }
  if (given.includes('\0')) throw new MediaError(6016, 'A path contains a null character')
  if (given.startsWith('file:')) return parseFileUrl(given)
  if (given === '~' || given.startsWith('~/')) return join(homeFolder(), given.slice(1))
  return isAbsolute(given) ? resolve(given) : resolve(workspace, given)
}

function parseFileUrl(given: string): string {
  try {
    return fileURLToPath(given)
  } catch (cause) {
    throw new MediaError(6016, `${given} is not the URL of a local file`, { cause })
  }
}

/**
 * Throws 6016 unless a real path is inside an allowed folder, is not hidden, and is not in a folder of the service.
 * opened: the opened file, whose path may have been replaced since.
 */
export async function assertUsable(
  folders: Folders,
  { real, opened }: { readonly real: string; readonly opened?: BigIntStats },
  given: string,
): Promise<void> {
  assertAllowed(folders, real, given)
  const used = await findPrivateFolder(folders.privateFolders, real, opened)
  if (!used) return
  const what = used.names ? 'has the name of a file' : 'is'
  const fixes = [used.names && 'Use another name.', 'Use a path outside of it.', used.hint]
  throw new MediaError(
    6016,
    `${given} ${what} in the ${used.use} ${used.path}, which only the service uses`,
    {
      hint: [...fixes.filter(Boolean), `Allowed folders: ${folders.allowed.join(', ')}.`].join(' '),
    },
  )
}

/** Throws 6016 unless a real path is inside an allowed folder and not hidden. */
export function assertAllowed(folders: Folders, real: string, given: string): void {
  const inside = folders.allowed.filter((allowed) => isInside(allowed, real))
  if (inside.length === 0) {
    throw new MediaError(6016, `${given} is outside the allowed folders: ${folders.allowed.join(', ')}`, {
      hint: [
        'Use a file inside them, or have the user add a folder: start the server with --allow-dir <folder>' +
          ' or set REELWRIGHT_ALLOWED_DIRS.',
        ...unusedFolderHints(folders),
      ].join(' '),
    })
  }
  const hidden = inside.map((allowed) => hiddenPart(allowed, real))
  if (hidden.every((part) => part !== undefined)) {
    throw new MediaError(6016, `${given} is hidden (${hidden[0]}); hidden files and folders are not used`, {
      hint: 'Copy the file to a folder that is not hidden.',
    })
  }
}

/** System folders by real path (macOS keeps /etc and /var in /private): never allowed, nor anything inside. */
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

/** Too broad to be allowed as a whole; folders inside may be. */
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

/** The reason why a folder (real, absolute path) must not be opened to agents; undefined if it may. */
export function closedReason(folder: string): string | undefined {
  if (folder === parse(folder).root) return 'it is the root of the file system'
  if (closedTrees.some((closed) => isInside(closed, folder))) return 'it is a system folder'
  if (closedFolders.some((closed) => isInside(closed, folder) && isInside(folder, closed)))
    return 'it is too broad; use a folder inside it'
  return undefined
}

/** The part of a path below a folder that is hidden (`.ssh` in `.ssh/id`), if any. */
export function hiddenPart(folder: string, path: string): string | undefined {
  return relative(folder, path)
    .split(sep)
    .find((part) => part.startsWith('.') && part !== '..')
}

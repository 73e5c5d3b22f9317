import { execFile } from 'node:child_process'
import { mkdir, readFile, readlink, realpath, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './system-error.ts'

/**
 * Makes a folder and what is missing above it; one that is there stays as it is. Step by step: `mkdir`
 * with `recursive` never returns where a folder that exists takes no new ones, as /proc does.
 */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  const make = async () => {
    try {
      await mkdir(path, mode)
    } catch (error) {
      if (!(await isFolder(path))) throw error
    }
  }
  try {
    await make()
  } catch (error) {
    const parent = dirname(path)
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    if (!(await isFolder(parent))) await createFolder(parent, mode)
    // Also where the parent is there: another may just have made it.
    await make()
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Bytes an unprivileged program may still write where this folder is. */
export async function freeSpace(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/**
 * Why a folder, existing or not, cannot keep a database: it lies on a network file system, where
 * locks are not to be trusted, or is synchronised by a cloud program, which copies files while
 * they are written. Null when it can.
 */
export async function unsafeFolderReason(path: string): Promise<string | null> {
  const absolute = resolve(path)
  const real = await resolveLinks(absolute)
  const cloud = cloudProvider(real) ?? cloudProvider(absolute)
  if (cloud) return `it is synchronised by ${cloud}`
  const network =
    process.platform === 'win32' ? windowsShare(real) : networkFileSystem(await listMounts(), real)
  return network ? `it lies on a network file system (${network})` : null
}

const cloudFolders: readonly (readonly [RegExp, string])[] = [
  [/^(iCloud ?Drive|Mobile Documents)$/i, 'iCloud Drive'],
  [/^Dropbox( \(.*\)|-.*)?$/i, 'Dropbox'],
  [/^OneDrive( - .*|-.*)?$/i, 'OneDrive'],
  [/^(Google ?Drive(-.*)?|My Drive)$/i, 'Google Drive'],
]

/** The cloud program to which a real path belongs by the name of one of its folders. */
export function cloudProvider(path: string): string | null {
  const names = path.split(/[/\\]/)
  return cloudFolders.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? null
}

const networkTypes =
  /^(nfs\d?|cifs|smb3|smbfs|afpfs|webdav|davfs2?|9p|afs|ceph|lustre|gpfs|ncpfs|fuse\.(sshfs|rclone|s3fs|gcsfuse|davfs2?|glusterfs|ceph|afpfs|smb.*))$/

interface Mount {
  readonly folder: string
  readonly type: string
}

/** Type of the network file system that holds a real path; null when its file system is local. */
export function networkFileSystem(list: readonly Mount[], path: string): string | null {
  const holding = list.filter(({ folder }) => folder === '/' || `${path}/`.startsWith(`${folder}/`))
  // The deepest mount holds the path; of equal ones the later lies on top.
  const top = holding.reduce<Mount | undefined>(
    (best, mount) => (best && best.folder.length > mount.folder.length ? best : mount),
    undefined,
  )
  return top && networkTypes.test(top.type) ? top.type : null
}

/** Reads `/proc/self/mounts` (proc(5)): device, folder and type, with octal escapes. */
export function parseLinuxMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = line.split(' ')
    if (folder === undefined || type === undefined) return []
    const unescaped = folder.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    return [{ folder: unescaped, type }]
  })
}

/** Reads what macOS's `mount` prints: `device on /folder (type, options)`. */
export function parseMacMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = / on (\/.*) \(([^,)]+)[^()]*\)$/.exec(line) ?? []
    return folder !== undefined && type !== undefined ? [{ folder, type }] : []
  })
}

async function listMounts(): Promise<Mount[]> {
  if (process.platform === 'linux') return parseLinuxMounts(await readFile('/proc/self/mounts', 'utf8'))
  return parseMacMounts((await promisify(execFile)('/sbin/mount', [])).stdout)
}

/** A mapped drive's real path is its share's. */
function windowsShare(real: string): string | null {
  return real.startsWith('\\\\') ? 'a Windows share' : null
}

/** Links followed one by one before they count as a circle; Linux stops there as well. */
const maxLinks = 40

/**
 * Where an absolute path leads: the real path of what exists of it and the rest as it is written,
 * through links that lead to nothing too. Never throws: what cannot be looked into is taken as written.
 */
export async function resolveLinks(path: string, linksLeft = maxLinks): Promise<string> {
  const real = await realpath(path).catch(() => null)
  const parent = dirname(path)
  if (real !== null || parent === path) return real ?? path
  const realParent = await resolveLinks(parent, linksLeft)
  const target = await readlink(path).catch(() => null)
  if (target === null || linksLeft === 0) return join(realParent, basename(path))
  return resolveLinks(resolve(realParent, target), linksLeft - 1)
}

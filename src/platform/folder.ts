import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, readlink, realpath, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './system-error.ts'

/**
 * Creates a folder and its missing parents; keeps an existing one. Does so step by step, as `mkdir` with `recursive`
 * never returns where an existing folder cannot have new ones, such as /proc. mode: permissions of new folders, whatever
 * the umask is; by default those that the umask leaves.
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  const make = async () => {
    try {
      await mkdir(path, mode)
      if (mode !== undefined) await chmod(path, mode)
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
    // Also if the parent exists: another process may just have created it.
    await make()
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Bytes of the files in a folder and its subfolders; 0 if it does not exist. */
export async function folderBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Free space for unprivileged programs on the file system of a folder, bytes. */
export async function freeSpace(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/**
 * Reason why a folder, existing or not, is unsafe for a database; null if it is safe. Locks on network file systems are
 * unreliable, and cloud programs copy files while they are written.
 */
export async function unsafeFolderReason(path: string): Promise<string | null> {
  const absolute = resolve(path)
  const real = await resolveLinks(absolute)
  const cloud = cloudProvider(real) ?? cloudProvider(absolute)
  if (cloud) return `it is synchronised by ${cloud}`
  const network =
    process.platform === 'win32' ? windowsShare(real) : networkFileSystem(await listMounts(), real)
  return network ? `it is on a network file system (${network})` : null
}

const cloudFolders: readonly (readonly [RegExp, string])[] = [
  [/^(iCloud ?Drive|Mobile Documents)$/i, 'iCloud Drive'],
  [/^Dropbox( \(.*\)|-.*)?$/i, 'Dropbox'],
  [/^OneDrive( - .*|-.*)?$/i, 'OneDrive'],
  [/^(Google ?Drive(-.*)?|My Drive)$/i, 'Google Drive'],
]

/** Cloud program that synchronises a real path, judged by its folder names; null if none does. */
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

/** Type of the network file system of a real path; null if the file system is local. */
export function networkFileSystem(list: readonly Mount[], path: string): string | null {
  const matching = list.filter(({ folder }) => folder === '/' || `${path}/`.startsWith(`${folder}/`))
  // The deepest mount applies; of mounts on the same folder, the last.
  const top = matching.reduce<Mount | undefined>(
    (best, mount) => (best && best.folder.length > mount.folder.length ? best : mount),
    undefined,
  )
  return top && networkTypes.test(top.type) ? top.type : null
}

/** Parses `/proc/self/mounts` (proc(5)): device, folder and type, with octal escapes. */
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

/** Parses the output of macOS's `mount`: `device on /folder (type, options)`. */
export function parseMacMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = / on (\/.*) \(([^,)]+)[^()]*\)$/.exec(line) ?? []
    return folder !== undefined && type !== undefined ? [{ folder, type }] : []
  })
}

async function listMounts(): Promise<Mount[]> {
  if (process.platform === 'linux') return parseLinuxMounts(await readFile('/proc/self/mounts', 'utf8'))
  return parseMacMounts((await promisify(execFile)('/sbin/mount', [], { timeout: 10_000 })).stdout)
}

/** The real path of a mapped drive is that of its share. */
function windowsShare(real: string): string | null {
  return real.startsWith('\\\\') ? 'a Windows share' : null
}

/** Most symbolic links to follow before they count as a loop; the same as in Linux. */
const maxLinks = 40

/**
 * Resolves the symbolic links of an absolute path, dangling ones included. Parts that do not exist or cannot be read stay
 * unchanged; never throws.
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

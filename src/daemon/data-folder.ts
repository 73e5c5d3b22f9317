import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/system-error.ts'
import { createFolder, unsafeFolderReason } from '../platform/folder.ts'
import { findUnsafePath, type UnsafePath } from '../platform/path-owners.ts'
import { restrictFolder, sharedMode } from '../platform/permissions.ts'
import { dataFiles, dataFolderNames } from './data-files.ts'
import { findForeignPart } from './foreign-parts.ts'

/** Why a folder cannot be the data folder, and what to do about it. */
interface DataFolderProblem {
  readonly reason: string
  readonly fix: string
}

/**
 * Creates the data folder if missing, and makes it and everything inside accessible to this user alone. Throws 6401 where
 * it cannot be used, before anything is changed.
 */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const problem = (await dataFolderProblem(dataDir)) ?? (await toProblem(makePrivate(dataDir)))
  if (problem === null) return
  throw new MediaError(6401, `the data folder ${dataDir} cannot be used: ${problem.reason}`, {
    retryable: false,
    hint: problem.fix,
  })
}

/** Returns why other users can still access a part of the data folder; null if they cannot. */
async function makePrivate(dataDir: string): Promise<string | null> {
  await createFolder(dataDir, 0o700)
  const accessible = await restrictFolder(dataDir, dataFolderNames)
  // Settings may be provided by someone else, such as a container's host: `readableSettings` reports them.
  const [first] = accessible.filter((path) => path !== join(dataDir, dataFiles.settings))
  return first === undefined ? null : await foreignAccessReason(first)
}

async function foreignAccessReason(path: string): Promise<string> {
  const { mode, uid } = await stat(path)
  const access = `${path} is open to other users (mode ${(mode & 0o777).toString(8)})`
  return `${access}, and only its owner (user ${uid}) can change that`
}

/** Warning that other users can read the settings, which may contain keys; null if they cannot. Not known on Windows. */
export async function readableSettings(
  dataDir: string,
): Promise<{ readonly detail: string; readonly fix: string } | null> {
  const file = join(dataDir, dataFiles.settings)
  const mode = await sharedMode(file)
  if (mode === null) return null
  return {
    detail: `other users can read the settings in ${file} (mode ${mode})`,
    fix: `run: chmod 600 ${JSON.stringify(file)}; replace keys that the file contains`,
  }
}

/** Hint for a data folder that cannot be used. */
const chooseAnotherFolderHint =
  'Choose an empty folder on a local disk that you can write to: --data-dir or REELWRIGHT_DATA_DIR.'

/**
 * Why a folder, existing or not, cannot be the data folder; null if it can. Tests this by writing a file, once it is known
 * that no other user controls the folder or a part of it.
 */
export async function dataFolderProblem(dataDir: string): Promise<DataFolderProblem | null> {
  return (
    (await toProblem(unsafeFolderReason(dataDir))) ??
    (await toProblem(foreignControl(dataDir))) ??
    (await toProblem(unusableReason(dataDir)))
  )
}

async function foreignControl(dataDir: string): Promise<UnsafePath | string | null> {
  const existing = await nearestFolder(dataDir)
  if (existing === dataDir && (await isOpenAndForeign(dataDir))) return await foreignAccessReason(dataDir)
  const unsafe = await findUnsafePath(dataDir)
  return unsafe ?? (existing === dataDir ? await findForeignPart(dataDir) : null)
}

async function unusableReason(dataDir: string): Promise<UnsafePath | string | null> {
  const existing = await nearestFolder(dataDir)
  const reason = await writeProblem(existing)
  if (reason !== null || existing !== dataDir) return reason
  return hasForeignFiles(await readdir(dataDir)) ? 'it contains other files' : null
}

/** Adds the fix to a reason. An error of the system is a reason too. */
async function toProblem(found: Promise<UnsafePath | string | null>): Promise<DataFolderProblem | null> {
  const reason = await found.catch((error: unknown) => (error as Error).message)
  if (reason === null) return null
  if (typeof reason === 'string') return { reason, fix: chooseAnotherFolderHint }
  const fix = reason.fix === undefined ? '' : `${reason.fix}. Otherwise: `
  return { reason: reason.reason, fix: fix + chooseAnotherFolderHint }
}

/** Whether other users have access to a folder, and this user cannot change that. */
async function isOpenAndForeign(folder: string): Promise<boolean> {
  const user = process.geteuid?.()
  if (user === undefined || user === 0 || (await sharedMode(folder)) === null) return false
  return (await stat(folder)).uid !== user
}

/** Deepest existing folder of a path. Throws if an existing part is not a folder. */
export async function nearestFolder(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return path
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    return await nearestFolder(dirname(path))
  }
  throw new Error(`${path} is not a folder`)
}

/** Reason why a folder cannot be written; permissions do not show this for /proc or a full disk. */
async function writeProblem(folder: string): Promise<UnsafePath | string | null> {
  let probe: string | undefined
  try {
    probe = await mkdtemp(join(folder, '.reelwright-'))
    await writeFile(join(probe, 'probe'), 'probe')
    return null
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? ''))
      return { reason: `no space left on ${folder}`, fix: 'Free space there' }
    return `${folder} is not writable (${(error as Error).message})`
  } finally {
    if (probe !== undefined) await rm(probe, { recursive: true, force: true })
  }
}

/** One of these exists from the first start on. */
const ownFileNames: readonly string[] = Object.values(dataFiles)

/** Names that systems create in otherwise empty folders. */
const ignoredNames = /^(\..*|lost\+found)$/

/** Whether a folder belongs to someone else. A start removes folders such as `scratch`, so it must only use its own. */
function hasForeignFiles(names: readonly string[]): boolean {
  return !names.some((name) => ownFileNames.includes(name)) && names.some((name) => !ignoredNames.test(name))
}

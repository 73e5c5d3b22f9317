import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/system-error.ts'
import { createFolder, unsafeFolderReason } from '../platform/folder.ts'
import { dataFiles } from './data-files.ts'

/** Makes the data folder, for this user alone, where there is none; 6401 with the reason when it cannot serve. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const reason =
    (await dataFolderProblem(dataDir)) ??
    (await createFolder(dataDir, 0o700).then(
      () => null,
      (error: Error) => error.message,
    ))
  if (reason === null) return
  throw new MediaError(6401, `the data folder ${dataDir} cannot be used: ${reason}`, {
    retryable: false,
    hint: chooseAnotherFolderHint,
  })
}

/** What mends a data folder that cannot be used. */
export const chooseAnotherFolderHint =
  'Choose an empty folder on a local disk that you can write to: --data-dir or REELWRIGHT_DATA_DIR.'

/** Why a folder, existing or not, cannot be the data folder, found by trying; leaves nothing behind. Null when it can. */
export async function dataFolderProblem(dataDir: string): Promise<string | null> {
  try {
    const existing = await nearestFolder(dataDir)
    const reason = (await unsafeFolderReason(dataDir)) ?? (await writeProblem(existing))
    if (reason !== null || existing !== dataDir) return reason
    return hasForeignFiles(await readdir(dataDir)) ? 'it holds other files' : null
  } catch (error) {
    return (error as Error).message
  }
}

/** The deepest part of a path that exists; throws an Error with the reason when that is not a folder. */
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

/** Permissions do not tell: root has them in /proc, and a full disk grants them. */
async function writeProblem(folder: string): Promise<string | null> {
  let probe: string | undefined
  try {
    probe = await mkdtemp(join(folder, '.reelwright-'))
    await writeFile(join(probe, 'probe'), 'probe')
    return null
  } catch (error) {
    return `${folder} takes no new files (${(error as Error).message})`
  } finally {
    if (probe !== undefined) await rm(probe, { recursive: true, force: true })
  }
}

/** One of them is there from the first start on. */
const ownFileNames: readonly string[] = Object.values(dataFiles)

/** Names that systems leave in empty folders. */
const ignoredNames = /^(\..*|lost\+found)$/

/** A start removes what earlier runs left, by names such as `scratch`: in a folder of ours only. */
function hasForeignFiles(names: readonly string[]): boolean {
  return !names.some((name) => ownFileNames.includes(name)) && names.some((name) => !ignoredNames.test(name))
}

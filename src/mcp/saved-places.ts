import { lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { resolveLinks } from '../platform/folder.ts'
import { errorCode } from '../platform/system-error.ts'
import { isExistingFile, openAllowedFolder } from './open-allowed.ts'
import { assertUsable, type Folders } from './workspace.ts'

/** Folder for the results of tasks, relative to the workspace. */
export const resultsFolder = 'reelwright-output'

const savedPlace = z.object({ save_to: z.string(), paths: z.array(z.string()) })

/** Where the files of a task were saved: `save_to` as the agent wrote it, and their absolute paths. */
type SavedPlace = z.infer<typeof savedPlace>

/** Most bytes of a record. */
const maxRecordBytes = 2 ** 20

/**
 * Records in the workspace where the files of a task were saved, so that later sessions find them. If it cannot be
 * written, only this session knows.
 */
export async function recordSavedPlace(folders: Folders, taskId: string, place: SavedPlace): Promise<void> {
  await unlessUnavailable(async () => {
    await using folder = await openAllowedFolder(folders, resultsFolder)
    const path = join(folder.base, recordName(taskId))
    // A link of this name must not be followed.
    await rm(path, { force: true })
    await writeFile(path, JSON.stringify(place), { flag: 'wx' })
  })
}

/** Returns where the files of a task were saved; undefined if it is not recorded, or one of them no longer exists. */
export async function findSavedPlace(folders: Folders, taskId: string): Promise<SavedPlace | undefined> {
  return await unlessUnavailable(async () => {
    const path = join(folders.workspace, resultsFolder, recordName(taskId))
    await assertUsable(folders, { real: await resolveLinks(join(folders.workspace, resultsFolder)) }, path)
    const stats = await lstat(path)
    if (!stats.isFile() || stats.size > maxRecordBytes) return undefined
    const place = savedPlace.safeParse(parseJson(await readFile(path, 'utf8'))).data
    for (const file of place?.paths ?? []) {
      await assertUsable(folders, { real: await resolveLinks(file) }, file)
      if (!(await isExistingFile(folders, file))) return undefined
    }
    return place
  })
}

const recordName = (taskId: string) => `.saved-${taskId.replaceAll(/\W/g, '')}.json`

/** Returns undefined if a file cannot be read or written, or is not allowed. */
async function unlessUnavailable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaError || errorCode(error) !== undefined) return undefined
    throw error
  }
}

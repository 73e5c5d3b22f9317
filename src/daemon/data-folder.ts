import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { whyUnsafe } from '../platform/folder.ts'

/** Makes the data folder, for this user alone, where there is none; 6401 with the reason when it cannot serve. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const reason =
    (await whyUnusable(dataDir)) ??
    (await makeFolder(dataDir).then(
      () => null,
      (error: Error) => error.message,
    ))
  if (reason === null) return
  throw new MediaError(6401, `the data folder ${dataDir} cannot be used: ${reason}`, {
    retryable: false,
    hint: chooseAnother,
  })
}

/** What mends a data folder that cannot be used. */
export const chooseAnother =
  'Choose an empty folder on a local disk that you can write to: --data-dir or REELWRIGHT_DATA_DIR.'

/** Why a folder, existing or not, cannot be the data folder, found by trying; leaves nothing behind. Null when it can. */
export async function whyUnusable(dataDir: string): Promise<string | null> {
  try {
    const existing = await nearestFolder(dataDir)
    const reason = (await whyUnsafe(dataDir)) ?? (await whyUnwritable(existing))
    if (reason !== null || existing !== dataDir) return reason
    return isForeign(await readdir(dataDir)) ? 'it holds other files' : null
  } catch (error) {
    return (error as Error).message
  }
}

/** The deepest part of a path that exists; throws an Error with the reason when that is not a folder. */
export async function nearestFolder(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return path
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    return await nearestFolder(dirname(path))
  }
  throw new Error(`${path} is not a folder`)
}

/** Permissions do not tell: root has them in /proc, and a full disk grants them. */
async function whyUnwritable(folder: string): Promise<string | null> {
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

/** Step by step: `mkdir` with `recursive` never returns where a folder that exists takes no new ones, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || (await stat(dirname(path)).catch(() => null))) throw error
    await makeFolder(dirname(path))
    await makeFolder(path)
  }
}

/** Of these, one is there from the first start on. */
const ours = [
  'reelwright.config.json',
  'start.lock',
  'daemon.lock',
  'daemon.json',
  'daemon.log',
  'reelwright.sqlite',
]

/** Names that systems leave in empty folders. */
const anybodys = /^(\..*|lost\+found)$/

/** A start removes what earlier runs left, by names such as `scratch`: in a folder of ours only. */
function isForeign(names: readonly string[]): boolean {
  return !names.some((name) => ours.includes(name)) && names.some((name) => !anybodys.test(name))
}

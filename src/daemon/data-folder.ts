import { access, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { whyUnsafe } from '../platform/folder.ts'

/** Makes the data folder, for this user alone, where there is none; 6401 with the reason when it cannot serve. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const reason = await whyUnusable(dataDir)
  if (reason === null) return
  throw new MediaError(6401, `the data folder ${dataDir} cannot be used: ${reason}`, {
    retryable: false,
    hint: 'Choose an empty folder on a local disk that you can write to: --data-dir or REELWRIGHT_DATA_DIR.',
  })
}

async function whyUnusable(dataDir: string): Promise<string | null> {
  try {
    const unsafe = await whyUnsafe(dataDir)
    if (unsafe !== null) return unsafe
    await makeFolder(dataDir)
    await access(dataDir, constants.W_OK)
    return isForeign(await readdir(dataDir)) ? 'it holds other files' : null
  } catch (error) {
    return (error as Error).message
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

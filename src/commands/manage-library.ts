import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { privateFolders } from '../config/private-folders.ts'
import { MediaError } from '../contract/errors.ts'
import { dataFiles, dataFolders } from '../daemon/data-files.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { databaseFailure } from '../db/failure.ts'
import { findEmbeddingModel, openEmbeddingModel } from '../engines/embedding/open.ts'
import { findSoundModel, openSoundModel } from '../engines/embedding/open-sound.ts'
import { withExplanation } from '../engines/services/failures.ts'
import { isDiskFull } from '../library/full-disk.ts'
import { importFolder, type ImportFolderOptions } from '../library/import-folder.ts'
import { findVectorSpace, type ListedFolder, listLibraryFolders } from '../library/list-folders.ts'
import { libraryPaths, openLibrary } from '../library/open-library.ts'
import { removeFolder } from '../library/remove-folder.ts'
import { lazy } from '../platform/cache.ts'
import { CleanupStack } from '../platform/cleanup-stack.ts'
import { escapeControls } from '../platform/log.ts'
import { formatColumns } from '../platform/text-formats.ts'
import { applyEngineSettings } from '../service/engine-settings.ts'
import type { CommandIo } from './command.ts'
import { describeImport, describeMissingVectors } from './describe-import.ts'
import { openServiceDatabase } from './service-database.ts'

// A running service finds changes of the library at its next search.

/** Settings and streams of a command that manages the library. */
export interface LibraryCommandContext {
  readonly config: Config
  readonly io: CommandIo
}

/** Runs a command. Throws 6401 for a full disk, and for failures of the database with an external cause. */
export async function withPlainErrors({ dataDir }: Config, command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (isDiskFull(error)) {
      throw new MediaError(6401, `no space left on ${dataDir}`, {
        cause: error,
        hint: 'Free space there, then repeat the command. It continues.',
      })
    }
    throw databaseFailure(error) ?? error
  }
}

interface AddFolderOptions {
  readonly path: string
  readonly licence: string
  readonly attribution: string
}

/** Imports a folder, with progress on stderr, and prints a summary with what was skipped and why. */
export async function addFolder(
  { config, io }: LibraryCommandContext,
  { path, licence, attribution }: AddFolderOptions,
): Promise<void> {
  checkText('licence', licence)
  checkText('attribution', attribution)
  const { ffmpeg, packs, services } = config
  applyEngineSettings({ ffmpeg, packs, services })
  await prepareDataFolder(config.dataDir)
  await using opened = await openServiceDatabase(config)
  using library = await openLibrary(opened.db, pathsOf(config))
  await using models = new CleanupStack()
  const [threads, { signal }] = [availableParallelism(), new AbortController()]
  const found = await findEmbeddingModel()
  const open = lazy(async () => models.use(await openEmbeddingModel({ threads, signal })))
  const foundSound = await findSoundModel()
  const openSound = lazy(async () => models.use(await openSoundModel(threads)))
  using _ = announceInterruption(io)
  const summary = await importFolder(library, {
    ...{ path, licence, attribution, privateFolders: privateFolders(config) },
    ...{ model: found && { ...found, open }, threads, signal, clock: Date.now },
    soundModel: foundSound && { ...foundSound, open: openSound },
    onFile: progressPrinter(io),
  }).catch((error: unknown) => {
    // This command has no log.
    throw withExplanation(error)
  })
  const listed = (await listLibraryFolders(opened.db)).find((folder) => folder.path === summary.path)
  for (const line of describeImport(summary)) io.stdout.write(`${escapeControls(line)}\n`)
  if (!listed) return
  const sources = {
    ...{ hasModel: found !== undefined, hasSoundModel: foundSound !== undefined },
    pictureSpace: await findVectorSpace(opened.db, ['clip', 'image']),
  }
  for (const line of describeMissingVectors(listed, summary, sources))
    io.stderr.write(`${escapeControls(line)}\n`)
}

/** Prints a line for each percent. */
function progressPrinter({ stderr }: CommandIo): ImportFolderOptions['onFile'] {
  let reported = -1
  return (file, { index, total }) => {
    const percent = Math.floor((100 * (index - 1)) / total)
    if (percent === reported) return
    reported = percent
    stderr.write(`${percent} % (${index} of ${total}) ${escapeControls(file.path)}\n`)
  }
}

/** While it is in use, an interruption of the process, such as Ctrl-C, first prints how to continue. */
function announceInterruption({ stderr }: CommandIo): Disposable {
  const announce = () => {
    stderr.write('Interrupted. What was imported is in the library. Repeat the command to continue.\n')
    // Without its listener, the signal ends the process.
    process.kill(process.pid, 'SIGINT')
  }
  process.once('SIGINT', announce)
  return { [Symbol.dispose]: () => void process.off('SIGINT', announce) }
}

/** Lists the folders of the library. */
export async function listFolders({ config, io }: LibraryCommandContext): Promise<void> {
  const folders = await readFolders(config)
  if (folders.length === 0) {
    const command = 'reelwright library add <folder> --licence <text> --attribution <text>'
    io.stdout.write(
      `The library of ${escapeControls(config.dataDir)} has no folder. Add one: \`${command}\`\n`,
    )
    return
  }
  const rows = folders.map(({ path, licence, attribution, counts, withoutVector }) => [
    ...[counts.clip, counts.image, counts.audio, counts.missing].map(String),
    String(withoutVector.clip + withoutVector.image + withoutVector.audio),
    ...[licence, attribution, path].map(escapeControls),
  ])
  const heading = ['videos', 'images', 'sounds', 'missing', 'words only', 'licence', 'attribution', 'folder']
  io.stdout.write(formatColumns([heading, ...rows]))
}

/** Returns the folders of the library. Creates no data folder, which a misspelt path would. */
async function readFolders(config: Config): Promise<readonly ListedFolder[]> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !existsSync(join(dataDir, dataFiles.database))) return []
  await using opened = await openServiceDatabase(config)
  return await listLibraryFolders(opened.db)
}

/** Removes a folder from the library. */
export async function removeFolderByPath(
  { config, io }: LibraryCommandContext,
  given: string,
): Promise<void> {
  await prepareDataFolder(config.dataDir)
  await using opened = await openServiceDatabase(config)
  using library = await openLibrary(opened.db, pathsOf(config))
  const { path, removed, kept, lost } = await removeFolder(library, given, Date.now)
  const copies = `${removed + kept + lost} materials removed; of ${kept} that searches returned, copies are kept`
  const missing = lost > 0 ? `; of ${lost} the file was moved, deleted or changed before` : ''
  io.stdout.write(`${escapeControls(path)}: ${copies}${missing}\n`)
}

function pathsOf({ dataDir }: Config) {
  return libraryPaths(dataDir, { ...dataFiles, ...dataFolders })
}

/** Licence and attribution are shown to agents and in tables. */
function checkText(name: string, text: string): void {
  if (/^\P{C}{1,500}$/u.test(text) && text.trim() === text) return
  throw new MediaError(6016, `the ${name} must be 1 to 500 visible characters`, {
    hint: `Repeat the command with another --${name}.`,
  })
}

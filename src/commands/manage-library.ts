import { availableParallelism } from 'node:os'
import type { Config } from '../config/config.ts'
import { privateFolders } from '../config/private-folders.ts'
import { MediaError } from '../contract/errors.ts'
import { summarizeList } from '../contract/format.ts'
import { dataFiles, dataFolders } from '../daemon/data-files.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { databaseFailure } from '../db/failure.ts'
import { findEmbeddingModel, openEmbeddingModel } from '../engines/embedding/open.ts'
import { findSoundModel, openSoundModel } from '../engines/embedding/open-sound.ts'
import { isDiskFull } from '../library/full-disk.ts'
import { importFolder, type ImportFolderOptions, type ImportSummary } from '../library/import-folder.ts'
import { listLibraryFolders } from '../library/list-folders.ts'
import { libraryPaths, openLibrary } from '../library/open-library.ts'
import { removeFolder } from '../library/remove-folder.ts'
import { lazy } from '../platform/cache.ts'
import { CleanupStack } from '../platform/cleanup-stack.ts'
import { escapeControls } from '../platform/log.ts'
import { formatColumns } from '../platform/text-formats.ts'
import { applyEngineSettings } from '../service/engine-settings.ts'
import type { CommandIo } from './command.ts'
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

/** Skipped files that are listed one by one. */
const maxListed = 20

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
  const summary = await importFolder(library, {
    ...{ path, licence, attribution, privateFolders: privateFolders(config) },
    ...{ model: found && { ...found, open }, threads, signal, clock: Date.now },
    soundModel: foundSound && { ...foundSound, open: openSound },
    onFile: progressPrinter(io),
  })
  for (const line of describeImport(summary)) io.stdout.write(`${escapeControls(line)}\n`)
  if (!found) io.stderr.write(`${withoutModel}\n`)
  if (!foundSound) io.stderr.write(`${withoutSoundModel}\n`)
}

const withoutModel =
  'No embedding model is installed: materials are found by their words alone. To find pictures by their content, ' +
  'run `reelwright models pull siglip2-base`, then add the folder again.'

const withoutSoundModel =
  'No sound model is installed: sounds are found by their words alone. To find them by English descriptions of what is ' +
  'heard, run `reelwright models pull clap`, then add the folder again.'

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

/** Lists the folders of the library. */
export async function listFolders({ config, io }: LibraryCommandContext): Promise<void> {
  await using opened = await openServiceDatabase(config)
  const rows = (await listLibraryFolders(opened.db)).map(({ path, licence, attribution, counts }) => [
    ...[counts.clip, counts.image, counts.audio, counts.missing].map(String),
    ...[licence, attribution, path].map(escapeControls),
  ])
  const heading = ['videos', 'images', 'sounds', 'missing', 'licence', 'attribution', 'folder']
  io.stdout.write(formatColumns([heading, ...rows]))
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

function describeImport({ path, skipped, others, accompaniments, ...counts }: ImportSummary): string[] {
  const { imported, changed, moved, restored, unchanged, missing } = counts
  const numbers = { imported, changed, moved, restored, unchanged, missing, skipped: skipped.length }
  const shown = Object.entries(numbers).filter(([name, count]) => count > 0 || name === 'imported')
  const types = [...others].map(([extension, count]) => `${count} ${extension || 'without extension'}`)
  const more = skipped.length - maxListed
  return [
    `${path}: ${shown.map(([name, count]) => `${count} ${name}`).join(', ')}`,
    ...skipped.slice(0, maxListed).map(({ path: file, reason }) => `skipped ${file}: ${reason}`),
    ...(more > 0 ? [`and ${more} more skipped`] : []),
    ...(accompaniments > 0 ? [`accompaniments, which are found with their songs: ${accompaniments}`] : []),
    ...(types.length > 0 ? [`no media: ${summarizeList(types, maxListed, ', ')}`] : []),
  ]
}

/** Licence and attribution are shown to agents and in tables. */
function checkText(name: string, text: string): void {
  if (/^\P{C}{1,500}$/u.test(text) && text.trim() === text) return
  throw new MediaError(6016, `the ${name} must be 1 to 500 visible characters`, {
    hint: `Repeat the command with another --${name}.`,
  })
}

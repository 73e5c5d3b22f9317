import { readConfig } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { hasBuild, packDownloadBytes } from '../engines/packs/machine.ts'
import { manifest } from '../engines/packs/manifest.ts'
import { installPack, removePack } from '../engines/packs/install.ts'
import { findDamagedFiles, packByName, type Packs } from '../engines/packs/store.ts'
import { packStates, pullCommand, type PackState } from '../engines/packs/resolve.ts'
import { missingRequirements, type MissingRequirement } from '../engines/readiness.ts'
import type { AgentAnswers, Services } from '../engines/services/services.ts'
import { formatColumns } from '../platform/text-formats.ts'
import type { CommandIo } from './command.ts'

/** The packs of a data folder, and where a command prints. */
export interface PackContext {
  readonly packs: Packs
  /** Other settings that decide which operations are ready. */
  readonly services?: Services
  readonly ffmpeg?: string | undefined
  readonly agentAnswers?: AgentAnswers
  readonly dataDir: string
  readonly io: Pick<CommandIo, 'stdout' | 'stderr'>
}

/** Reads the settings of the packs of a data folder, with the manifest of this version. */
export async function readPackContext(dataDir: string | undefined, io: CommandIo): Promise<PackContext> {
  const { packs, dataDir: folder } = await readConfig({ dataDir, environment: io.environment })
  // The local service reads its settings from its file alone.
  const { services, ffmpeg, agentAnswers } = await readConfig({ dataDir: folder, environment: {} })
  return { packs: { ...packs, manifest }, services, ffmpeg, agentAnswers, dataDir: folder, io }
}

const stateNames = { ready: 'ready', automatic: 'at first use', missing: 'MISSING', optional: 'on request' }

/** Lists packs with their state, purpose and size, then the operations that miss any, with the fix. */
export async function listPacks(context: PackContext): Promise<void> {
  const { packs, io } = context
  const states = await packStates(packs)
  const rows = states.map(({ name, state }) => {
    const pack = packByName(packs, name)
    const sizes =
      pack.kind === 'own' ? ['-', '-'] : [describeSize(packDownloadBytes(pack)), `${pack.memory} MiB`]
    const shown = pack.kind === 'own' && state === 'optional' ? 'you provide it' : stateNames[state]
    return [name, shown, ...sizes, pack.licence, `${pack.title}: ${pack.enables}`]
  })
  io.stdout.write(formatColumns([['name', 'state', 'size', 'memory', 'licence', 'purpose'], ...rows]))
  for (const { name, detail, state, fix } of states) {
    if (state === 'missing') print(context, `${name}: ${detail}`, `  -> ${fix}`)
  }
  printMissing(context, await findMissing(context))
}

/** Installs packs one after another, with progress on stderr. */
export async function pullPacks(context: PackContext, names: readonly string[]): Promise<void> {
  const { packs, dataDir } = context
  for (const name of names) packByName(packs, name)
  await prepareDataFolder(dataDir)
  for (const name of names) print(context, `${name}: ${await install(context, name)}`)
}

/** Verifies the files of all installed packs. Returns exit code 1 where one is damaged. */
export async function verifyPacks(context: PackContext): Promise<number> {
  const { packs } = context
  let damaged = 0
  for (const { name, state, detail, fix } of await packStates(packs)) {
    const { kind } = packByName(packs, name)
    const isOwn = kind === 'own'
    const wrong = await findDamagedFiles(packs, name)
    if (wrong?.length) {
      print(context, `${name}: damaged (${wrong.join(', ')})`, `  -> ${pullCommand(name)}`)
    } else if (isOwn && state === 'missing') print(context, `${name}: ${detail}`, `  -> ${fix}`)
    else if (state === 'ready' && kind === 'engine' && wrong === null)
      print(context, `${name}: from this program's own packages`)
    else if (state === 'ready') print(context, `${name}: intact`)
    if (wrong?.length || (isOwn && state === 'missing')) damaged += 1
  }
  return damaged === 0 ? 0 : 1
}

/** Removes the downloaded files of a pack. */
export async function removePackFiles(context: PackContext, name: string): Promise<void> {
  const removed = await removePack(context.packs, name)
  print(context, `${name}: ${removed ? 'removed' : 'was not installed'}`)
}

/**
 * Installs every pack that is not optional, one after another, and lists the operations that need more, with the fix.
 * Returns exit code 1 where a pack could not be installed.
 */
export async function setUpPacks(context: PackContext): Promise<number> {
  const { packs, dataDir } = context
  await prepareDataFolder(dataDir)
  let failures = 0
  for (const state of await packStates(packs)) {
    const { lines, failed } = await setUpPack(context, state)
    if (failed) failures += 1
    print(context, ...lines)
  }
  const missing = await findMissing(context)
  printMissing(context, missing)
  const blocked = missing.flatMap(({ operations: names }) => names).join(', ')
  const ready = `Ready${blocked && `, except ${blocked}`}. To check everything else, run: reelwright doctor`
  print(context, '', failures === 0 ? ready : 'Some models or engines could not be installed.')
  return failures === 0 ? 0 : 1
}

async function findMissing(context: PackContext): Promise<MissingRequirement[]> {
  const [{ applyEngineSettings }, { operations }, { chooseAnswerer }] = await Promise.all([
    import('../service/engine-settings.ts'),
    import('../../tools/index.ts'),
    import('../engines/language-model/choose-answerer.ts'),
  ])
  applyEngineSettings(context)
  const { agentAnswers = 'if offered' } = context
  return await missingRequirements(operations, { answersBy: chooseAnswerer({ agentAnswers }, true) })
}

function printMissing(context: PackContext, missing: readonly MissingRequirement[]): void {
  if (missing.length > 0) print(context, '')
  for (const { operations: names, message, hint } of missing) {
    print(context, `${names.join(', ')}: ${message}`, `  -> ${hint}`)
  }
}

async function setUpPack(
  context: PackContext,
  { name, state, detail, fix }: PackState,
): Promise<{ lines: readonly string[]; failed: boolean }> {
  if (state === 'optional') return { lines: [`${name}: optional, ${detail}`, `  -> ${fix}`], failed: false }
  if (!hasBuild(packByName(context.packs, name))) {
    return { lines: [`${name}: ${detail}`, `  -> ${fix}`], failed: false }
  }
  try {
    return { lines: [`${name}: ${await install(context, name)}`], failed: false }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { lines: [`${name}: ${error.message}`, `  -> ${error.hint}`], failed: true }
  }
}

async function install({ packs, io }: PackContext, name: string): Promise<string> {
  const total = packDownloadBytes(packByName(packs, name))
  let reported = -1
  const result = await installPack(packs, name, {
    onProgress(bytes) {
      const tenth = Math.floor((bytes / total) * 10)
      if (tenth === reported) return
      reported = tenth
      io.stderr.write(`${name}: ${tenth * 10} % of ${describeSize(total)}\n`)
    },
  })
  return result === 'pulled' ? `installed (${describeSize(total)})` : 'already installed'
}

function print({ io }: PackContext, ...lines: readonly string[]): void {
  io.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

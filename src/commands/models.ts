import { readConfig } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { lacksOf, type Lack } from '../contract/lacks.ts'
import { describeSize } from '../contract/format.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { packDownloadBytes, hasBuild } from '../engines/packs/machine.ts'
import { manifest } from '../engines/packs/manifest.ts'
import { installPack, removePack } from '../engines/packs/pull.ts'
import { findDamagedFiles, packByName, type Packs } from '../engines/packs/store.ts'
import { pullCommand, packStates, type PackState } from '../engines/packs/use.ts'
import type { Services } from '../engines/services/services.ts'

/** The packs of a data folder. */
export interface Subject {
  readonly packs: Packs
  /** What else is set that operations may stand on. */
  readonly services?: Services
  readonly ffmpeg?: string | undefined
  readonly dataDir: string
}

/** The packs of this version, as the settings have them. */
export async function readSubject(dataDir: string | undefined): Promise<Subject> {
  const { packs, dataDir: folder } = await readConfig({ dataDir })
  // The local service knows only its file.
  const { services, ffmpeg } = await readConfig({ dataDir: folder, environment: {} })
  return { packs: { ...packs, manifest }, services, ffmpeg, dataDir: folder }
}

/** Tells every pack: how it stands, what it is for, and what it takes; then which operations lack what, with what brings it. */
export async function listPacks(subject: Subject): Promise<void> {
  const { packs } = subject
  const states = await packStates(packs)
  const words = { ready: 'ready', automatic: 'at first use', missing: 'MISSING', optional: 'on request' }
  const rows = states.map(({ name, state }) => {
    const pack = packByName(packs, name)
    const takes =
      pack.kind === 'own' ? ['-', '-'] : [describeSize(packDownloadBytes(pack)), `${pack.memory} MiB`]
    const stands = pack.kind === 'own' && state === 'optional' ? 'yours to bring' : words[state]
    return [name, stands, ...takes, pack.licence, `${pack.title}: ${pack.enables}`]
  })
  const table = [['name', 'state', 'size', 'memory', 'licence', 'what'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  print(...lines.map((line) => line.trimEnd()))
  for (const { name, detail, state, fix } of states) {
    if (state === 'missing') print(`${name}: ${detail}`, `  -> ${fix}`)
  }
  printLacks(await lacksHere(subject))
}

/** Brings packs one after another, with their progress on stderr. */
export async function pullAll({ packs, dataDir }: Subject, names: readonly string[]): Promise<void> {
  for (const name of names) packByName(packs, name)
  await prepareDataFolder(dataDir)
  for (const name of names) print(`${name}: ${await bring(packs, name)}`)
}

/** Reads all that was pulled or brought; answers 1 where something is damaged. */
export async function verifyPacks(packs: Packs): Promise<number> {
  let damaged = 0
  for (const { name, state, detail, fix } of await packStates(packs)) {
    const { kind } = packByName(packs, name)
    const isOwn = kind === 'own'
    const wrong = await findDamagedFiles(packs, name)
    if (wrong?.length) print(`${name}: damaged (${wrong.join(', ')})`, `  -> ${pullCommand(name)}`)
    else if (isOwn && state === 'missing') print(`${name}: ${detail}`, `  -> ${fix}`)
    else if (state === 'ready' && kind === 'engine' && wrong === null)
      print(`${name}: from this program's own packages`)
    else if (state === 'ready') print(`${name}: as it should be`)
    if (wrong?.length || (isOwn && state === 'missing')) damaged += 1
  }
  return damaged === 0 ? 0 : 1
}

/** Removes what was pulled of a pack. */
export async function removeOne(packs: Packs, name: string): Promise<void> {
  const removed = await removePack(packs, name)
  print(`${name}: ${removed ? 'removed' : 'nothing was there'}`)
}

/**
 * Brings every pack that is not on request, one after another, and says what it did, and which operations lack more and
 * what brings it; answers 1 where a pack is missing.
 */
export async function setUp(subject: Subject): Promise<number> {
  const { packs, dataDir } = subject
  await prepareDataFolder(dataDir)
  let missing = 0
  for (const state of await packStates(packs)) {
    const { said, failed } = await setUpOne(packs, state)
    if (failed) missing += 1
    print(...said)
  }
  const lacks = await lacksHere(subject)
  printLacks(lacks)
  const stopped = lacks.flatMap(({ operations: names }) => names).join(', ')
  const ready = `Ready${stopped && `, but for ${stopped}`}. What else is needed tells: reelwright doctor`
  print('', missing === 0 ? ready : 'Not all of it is there.')
  return missing === 0 ? 0 : 1
}

async function lacksHere(subject: Subject): Promise<Lack[]> {
  const [{ applyEngineSettings: beAsTold }, { operations }] = await Promise.all([
    import('../service/engine-settings.ts'),
    import('../../tools/index.ts'),
  ])
  beAsTold(subject)
  return await lacksOf(operations)
}

function printLacks(lacks: readonly Lack[]): void {
  if (lacks.length > 0) print('')
  for (const { operations: names, message, hint } of lacks)
    print(`${names.join(', ')}: ${message}`, `  -> ${hint}`)
}

async function setUpOne(
  packs: Packs,
  { name, state, detail, fix }: PackState,
): Promise<{ said: readonly string[]; failed: boolean }> {
  if (state === 'optional') return { said: [`${name}: optional, ${detail}`, `  -> ${fix}`], failed: false }
  if (!hasBuild(packByName(packs, name)))
    return { said: [`${name}: ${detail}`, `  -> ${fix}`], failed: false }
  try {
    return { said: [`${name}: ${await bring(packs, name)}`], failed: false }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { said: [`${name}: ${error.message}`, `  -> ${error.hint}`], failed: true }
  }
}

async function bring(packs: Packs, name: string): Promise<string> {
  const total = packDownloadBytes(packByName(packs, name))
  let told = -1
  const done = await installPack(packs, name, {
    onProgress(bytes) {
      const tenth = Math.floor((bytes / total) * 10)
      if (tenth === told) return
      told = tenth
      process.stderr.write(`${name}: ${tenth * 10} % of ${describeSize(total)}\n`)
    },
  })
  return done === 'pulled' ? `pulled (${describeSize(total)})` : 'was there already'
}

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

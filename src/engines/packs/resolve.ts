import { createRequire } from 'node:module'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { packDownloadBytes, hasBuild, noBuildError } from './machine.ts'
import { automaticBelowBytes, type Pack, type PackName } from './manifest.ts'
import { missingOnMirror } from './download-file.ts'
import { ownModelHint, ownModelNotSetError, installPack } from './install.ts'
import type { PackDownloadOptions } from './resumable-download.ts'
import { locatePack, packByName, type Packs } from './store.ts'

let set: Packs | undefined

/** Tells this process the packs there are and what the settings say of them. */
export function configurePacks(packs: Packs): void {
  set = packs
}

/** What `configurePacks` told; undefined before. */
export function configuredPacks(): Packs | undefined {
  return set
}

/** How a pack stands. */
export interface PackState {
  readonly name: string
  readonly title: string
  /** `automatic` comes by itself at first use, `optional` only when it is asked for. */
  readonly state: 'ready' | 'automatic' | 'missing' | 'optional'
  /** Where it lies, or what is the matter. */
  readonly detail: string
  /** The one command or setting that brings it. */
  readonly fix?: string
}

/** Looks at every pack. Files are looked at by their size; `damageOf` reads them. */
export async function packStates(packs: Packs): Promise<PackState[]> {
  return await Promise.all(Object.keys(packs.manifest).map((name) => packState(packs, name)))
}

async function packState(packs: Packs, name: string): Promise<PackState> {
  const pack = packByName(packs, name)
  const { title } = pack
  try {
    const place = await locatePack(packs, name)
    if (place !== null) return { name, title, state: 'ready', detail: place }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { name, title, state: 'missing', detail: error.message, fix: error.hint }
  }
  if (pack.kind === 'own') {
    return {
      name,
      title,
      state: 'optional',
      detail: 'none is set, work goes on without it',
      fix: ownModelHint(name),
    }
  }
  const barred =
    pack.kind === 'engine' && !hasBuild(pack) ? noBuildError(pack) : await missingOnMirror(packs, pack)
  if (pack.kind === 'model' && pack.optional === true && (barred || !isInstalledOnUse(packs, pack))) {
    const detail = `is not there (${describeSize(packDownloadBytes(pack))}), comes when it is asked for`
    return { name, title, state: 'optional', detail, fix: pullCommand(name) }
  }
  if (barred) return { name, title, state: 'missing', detail: barred.message, fix: barred.hint }
  const size = describeSize(packDownloadBytes(pack))
  return isInstalledOnUse(packs, pack)
    ? {
        name,
        title,
        state: 'automatic',
        detail: `${size}, comes by itself at first use`,
        fix: pullCommand(name),
      }
    : { name, title, state: 'missing', detail: `is not there (${size})`, fix: pullCommand(name) }
}

/**
 * Where a pack lies: a model's file, or the folder above an engine's `node_modules`. A small one that is not there is
 * pulled first where the settings allow that; otherwise 6401 (not retryable), with the one command that brings it.
 */
export async function resolvePack(name: PackName, follow: PackDownloadOptions = {}): Promise<string> {
  const packs = packsOrThrow()
  await requirePack(name)
  const there = await locatePack(packs, name)
  if (there !== null) return there
  await installPack(packs, name, follow).catch((error: unknown) => {
    if (!(error instanceof MediaError)) throw error
    const { message, hint, retryable } = error
    throw new MediaError(6401, message, {
      cause: error,
      retryable,
      hint: `${pullCommand(name)}  (${hint})`,
    })
  })
  return (await locatePack(packs, name)) ?? missing(name, packByName(packs, name))
}

/** Where an optional pack lies; null where it is not there. Throws 6016 for a model that is not the one that is set. */
export async function findPack(name: PackName): Promise<string | null> {
  return await locatePack(packsOrThrow(), name)
}

/** The checksum of a model that people brought; null where none is set. Throws 6016 where it is not the one that is set. */
export async function ownModelSha256(name: PackName): Promise<string | null> {
  const packs = packsOrThrow()
  return (await locatePack(packs, name)) === null ? null : (packs.own[name]?.sha256 ?? null)
}

/** For `ready` of an operation: 6401 where a pack neither is there nor comes by itself. Fetches nothing. */
export async function requirePack(name: PackName): Promise<void> {
  const packs = packsOrThrow()
  const pack = packByName(packs, name)
  if ((await locatePack(packs, name)) !== null) return
  const lack = await missingOnMirror(packs, pack)
  if (lack) throw lack
  if (!isInstalledOnUse(packs, pack)) missing(name, pack)
}

/**
 * For what needs several packs: does all checks, and where some miss packs throws one 6401 with the one command that
 * brings them all. What is thrown otherwise goes first.
 */
export async function requireTogether(checks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const lacks = new Map<string, string>()
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof MissingPacks)) throw error
      for (const [name, why] of error.lacks) lacks.set(name, why)
    }
  }
  if (lacks.size > 0) throw new MissingPacks(lacks)
}

/** Packs that have to be pulled, and what is told of each. */
class MissingPacks extends MediaError {
  readonly lacks: ReadonlyMap<string, string>

  constructor(lacks: ReadonlyMap<string, string>) {
    const hint = pullCommand([...lacks.keys()].join(' '))
    super(6401, [...lacks.values()].join('; '), { retryable: false, hint })
    this.lacks = lacks
  }
}

/**
 * Loads an engine's first package; 6401 where it is not there, or does not load on this machine. In a box, as OpenCV
 * has a `then` that resolves with itself: to await it never ends.
 */
export async function loadEngine(name: PackName): Promise<{ readonly engine: unknown }> {
  const folder = await resolvePack(name)
  const pack = packByName(packsOrThrow(), name)
  if (pack.kind !== 'engine') throw new TypeError(`${name} is no engine`)
  try {
    return { engine: createRequire(join(folder, 'engine.cjs'))(pack.packages[0].name) as unknown }
  } catch (error) {
    throw new MediaError(6401, `${pack.title} does not load on this machine`, {
      cause: error,
      retryable: false,
      hint: `See \`reelwright models verify\`; if all is as it should be, use a service on another machine.`,
    })
  }
}

function packsOrThrow(): Packs {
  if (set) return set
  throw new TypeError('this process was not told of packs')
}

function isInstalledOnUse({ automatic }: Packs, pack: Pack): boolean {
  return automatic && pack.kind !== 'own' && hasBuild(pack) && packDownloadBytes(pack) < automaticBelowBytes
}

function missing(name: string, pack: Pack): never {
  if (pack.kind === 'own') throw ownModelNotSetError(name)
  if (pack.kind === 'engine' && !hasBuild(pack)) throw noBuildError(pack)
  const why = `${pack.title} is not there (${describeSize(packDownloadBytes(pack))}), which is for ${pack.enables}`
  throw new MissingPacks(new Map([[name, why]]))
}

/** What brings a pack. */
export function pullCommand(name: string): string {
  return `reelwright models pull ${name}`
}

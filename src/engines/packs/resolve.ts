import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { packDownloadBytes, hasBuild, noBuildError } from './machine.ts'
import { automaticBelowBytes, type Pack, type PackName } from './manifest.ts'
import { missingOnMirror } from './download-verified.ts'
import { reportFirstDownload } from './first-download.ts'
import { ownModelHint, ownModelNotSetError, installPack } from './install.ts'
import type { PackDownloadOptions } from './resumable-download.ts'
import { locatePack, packByName, type Packs } from './store.ts'

let configured: Packs | undefined

/** Sets the packs and pack settings of this process; none with undefined. */
export function configurePacks(packs: Packs | undefined): void {
  configured = packs
}

/** Returns the packs set by `configurePacks`; undefined before that call. */
export function configuredPacks(): Packs | undefined {
  return configured
}

/** State of a pack on this machine. */
export interface PackState {
  readonly name: string
  readonly title: string
  /** `automatic` is downloaded on first use; `optional` only by `models pull`. */
  readonly state: 'ready' | 'automatic' | 'missing' | 'optional'
  /** Path of an installed pack, otherwise the reason why it cannot be used. */
  readonly detail: string
  /** The command or setting that makes it available. */
  readonly fix?: string
}

/** Returns the state of each pack, judged by the sizes of its files. `findDamagedFiles` reads their contents. */
export async function packStates(packs: Packs): Promise<PackState[]> {
  return await Promise.all(Object.keys(packs.manifest).map((name) => packState(packs, name)))
}

async function packState(packs: Packs, name: string): Promise<PackState> {
  const pack = packByName(packs, name)
  const { title } = pack
  try {
    const path = await locatePack(packs, name)
    if (path !== null) return { name, title, state: 'ready', detail: path }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { name, title, state: 'missing', detail: error.message, fix: error.hint }
  }
  if (pack.kind === 'own') {
    return {
      name,
      title,
      state: 'optional',
      detail: 'not set; the built-in method is used',
      fix: ownModelHint(name),
    }
  }
  const barred =
    pack.kind === 'engine' && !hasBuild(pack) ? noBuildError(pack) : await missingOnMirror(packs, pack)
  if (pack.kind === 'model' && pack.optional === true && (barred || !isInstalledOnUse(packs, pack))) {
    const detail = `not installed (${describeSize(packDownloadBytes(pack))}), optional`
    return { name, title, state: 'optional', detail, fix: pullCommand(name) }
  }
  if (barred) return { name, title, state: 'missing', detail: barred.message, fix: barred.hint }
  const size = describeSize(packDownloadBytes(pack))
  return isInstalledOnUse(packs, pack)
    ? {
        name,
        title,
        state: 'automatic',
        detail: `${size}, downloaded on first use`,
        fix: pullCommand(name),
      }
    : { name, title, state: 'missing', detail: `not installed (${size})`, fix: pullCommand(name) }
}

/**
 * Returns the path of a pack: the file of a model, or the folder that contains the `node_modules` of an engine. Installs
 * a small pack first if the settings allow it. Otherwise throws 6401 (not retryable) with the command that installs it.
 */
export async function resolvePack(name: PackName, options: PackDownloadOptions = {}): Promise<string> {
  const packs = packsOrThrow()
  await requirePack(name)
  const installed = await locatePack(packs, name)
  if (installed !== null) return installed
  const pack = packByName(packs, name)
  if (pack.kind === 'own') return missing(name, pack)
  await reportFirstDownload(name, pack, (progress) =>
    installPack(packs, name, { ...options, ...progress }),
  ).catch((error: unknown) => {
    if (!(error instanceof MediaError)) throw error
    const { message, hint, retryable } = error
    throw new MediaError(6401, message, {
      cause: error,
      retryable,
      hint: `${pullCommand(name)}  (${hint})`,
    })
  })
  return (await locatePack(packs, name)) ?? missing(name, pack)
}

/**
 * Returns the path of an optional pack; null if it is not installed. Throws 6016 if a user's model does not match its
 * checksum.
 */
export async function findPack(name: PackName): Promise<string | null> {
  return await locatePack(packsOrThrow(), name)
}

/** Returns the checksum of a user's own model; null if none is set. Throws 6016 if the model does not match it. */
export async function ownModelSha256(name: PackName): Promise<string | null> {
  const packs = packsOrThrow()
  return (await locatePack(packs, name)) === null ? null : (packs.own[name]?.sha256 ?? null)
}

/** Throws 6401 if a pack is neither installed nor downloaded on first use. Downloads nothing. */
export async function requirePack(name: PackName): Promise<void> {
  const packs = packsOrThrow()
  const pack = packByName(packs, name)
  if ((await locatePack(packs, name)) !== null) return
  const notOnMirror = await missingOnMirror(packs, pack)
  if (notOnMirror) throw notOnMirror
  if (!isInstalledOnUse(packs, pack)) missing(name, pack)
  pendingDownloads.getStore()?.add(name)
}

/** Packs that the checks of the current `collectDownloads` have found to be downloaded on first use. */
const pendingDownloads = new AsyncLocalStorage<Set<PackName>>()

/** Packs that are downloaded on first use. */
export interface FirstDownload {
  readonly packs: readonly string[]
  /** Of all of them. */
  readonly bytes: number
}

/** Runs checks, and returns the packs that they found to be downloaded on first use; undefined if there are none. */
export async function collectDownloads(checks: () => Promise<void>): Promise<FirstDownload | undefined> {
  const names = new Set<PackName>()
  await pendingDownloads.run(names, checks)
  if (names.size === 0) return undefined
  const sizes = [...names].map((name) => packDownloadBytes(packByName(packsOrThrow(), name)))
  return { packs: [...names], bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) }
}

/**
 * Runs all checks of work that needs several packs. If packs are missing, throws one 6401 with one command that installs
 * all of them. Any other error is thrown at once.
 */
export async function requireTogether(checks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const reasons = new Map<string, string>()
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof MissingPacks)) throw error
      for (const [name, why] of error.reasons) reasons.set(name, why)
    }
  }
  if (reasons.size > 0) throw new MissingPacks(reasons)
}

/** Packs that have to be installed, with the reason for each. */
export class MissingPacks extends MediaError {
  readonly reasons: ReadonlyMap<string, string>

  constructor(reasons: ReadonlyMap<string, string>) {
    const hint = pullCommand([...reasons.keys()].join(' '))
    super(6401, [...reasons.values()].join('; '), { retryable: false, hint })
    this.reasons = reasons
  }
}

/**
 * Loads the first package of an engine. Throws 6401 if it is not installed or does not load on this machine. The engine
 * is wrapped in an object because OpenCV has a `then` that resolves with itself: awaiting it would never end.
 */
export async function loadEngine(name: PackName): Promise<{ readonly engine: unknown }> {
  const folder = await resolvePack(name)
  const pack = packByName(packsOrThrow(), name)
  if (pack.kind !== 'engine') throw new TypeError(`${name} is not an engine`)
  try {
    return { engine: createRequire(join(folder, 'engine.cjs'))(pack.packages[0].name) as unknown }
  } catch (error) {
    throw new MediaError(6401, `${pack.title} does not load on this machine`, {
      cause: error,
      retryable: false,
      hint: `Run \`reelwright models verify\`. If it reports no damage, use a service on another machine.`,
    })
  }
}

function packsOrThrow(): Packs {
  if (configured) return configured
  throw new TypeError('configurePacks was not called in this process')
}

function isInstalledOnUse({ automatic }: Packs, pack: Pack): boolean {
  return automatic && pack.kind !== 'own' && hasBuild(pack) && packDownloadBytes(pack) < automaticBelowBytes
}

function missing(name: string, pack: Pack): never {
  if (pack.kind === 'own') throw ownModelNotSetError(name)
  if (pack.kind === 'engine' && !hasBuild(pack)) throw noBuildError(pack)
  const why = `${pack.title} is not installed (${describeSize(packDownloadBytes(pack))}); it is required for ${pack.enables}`
  throw new MissingPacks(new Map([[name, why]]))
}

/** Returns the command that installs a pack. */
export function pullCommand(name: string): string {
  return `reelwright models pull ${name}`
}

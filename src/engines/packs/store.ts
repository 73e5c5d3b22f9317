import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { errorCode } from '../../platform/system-error.ts'
import { packArtifacts, modelFiles, hasBuild, extractedPaths, enginePackages } from './machine.ts'
import type { EnginePack, Manifest, OwnPack, Pack } from './manifest.ts'
import { modelSha256, fileSha256 } from './sha256.ts'

/** Lower-case hex. */
const sha256 = z.string()

/** A user's own model. */
const ownModel = z.strictObject({ path: z.string(), sha256 }).readonly()

/** Settings of packs. */
export const packSettings = z
  .strictObject({
    /** Folder of all installed packs. */
    folder: z.string(),
    /** A folder or URL that has all files by name. If set, it is the only source. */
    mirror: z.string().optional(),
    /** Whether small packs are installed on first use. */
    automatic: z.boolean(),
    /** Users' own models by pack. */
    own: z.record(z.string(), ownModel.optional()).readonly(),
  })
  .readonly()
export type PackSettings = z.infer<typeof packSettings>

/** The manifest of all packs, and the settings. */
export interface Packs extends PackSettings {
  readonly manifest: Manifest
}

/** A file of an installed pack. The path is relative to the pack's folder, with slashes. */
const installedFile = z.strictObject({ path: z.string(), bytes: z.int(), sha256 }).readonly()
export type InstalledFile = z.infer<typeof installedFile>

const inventory = z.array(installedFile).min(1).readonly()

/** Name of the file in a pack's folder that lists the other files. */
export const inventoryFile = 'pack.json'

/** Returns a pack by its name. Throws 6016 for an unknown name. */
export function packByName({ manifest }: Packs, name: string): Pack {
  const pack = Object.hasOwn(manifest, name) ? manifest[name] : undefined
  if (pack) return pack
  throw new MediaError(6016, `unknown pack ${JSON.stringify(name)}`, {
    hint: `Use one of ${Object.keys(manifest).join(', ')}.`,
  })
}

/**
 * Returns the folder of a pack. Its name contains a hash of the content, so that each version and machine has its own.
 */
export function packFolder({ folder }: Packs, name: string, pack: Pack): string {
  const content = createHash('sha256')
  for (const artifact of packArtifacts(pack)) content.update(artifact.sha256)
  if (pack.kind === 'engine') content.update(JSON.stringify(enginePackages(pack).map(extractedPaths)))
  return join(folder, `${name}-${content.digest('hex').slice(0, 12)}`)
}

/** Returns the files of an installed pack from its inventory; null if it is not installed. */
export async function readInventory(folder: string): Promise<readonly InstalledFile[] | null> {
  try {
    return inventory.safeParse(JSON.parse(await readFile(join(folder, inventoryFile), 'utf8'))).data ?? null
  } catch (error) {
    // An unreadable pack cannot be used. Installing it reports the reason of the system.
    if (error instanceof SyntaxError || errorCode(error) !== undefined) return null
    throw error
  }
}

/**
 * Returns the path of an installed pack: the main file of a model, or the folder with the `node_modules` of an engine;
 * null if it is not installed or a file is missing. Prefers an engine of the same version among our own packages.
 */
export async function locatePack(packs: Packs, name: string): Promise<string | null> {
  const pack = packByName(packs, name)
  if (pack.kind === 'own') return await locateOwnModel(packs, name, pack)
  if (!hasBuild(pack)) return null
  if (pack.kind === 'engine') {
    const developmentCopy = findDevelopmentCopy(pack)
    if (developmentCopy !== null) return developmentCopy
  }
  const folder = packFolder(packs, name, pack)
  const listed = await readInventory(folder)
  if (listed === null) return null
  const whole = await Promise.all(listed.map(({ path, bytes }) => isFileOfSize(join(folder, path), bytes)))
  if (whole.includes(false)) return null
  return pack.kind === 'model' ? join(folder, pack.artifact.file) : folder
}

/** Reads all files of a pack and returns the paths of damaged ones; null if the pack is not installed. */
export async function findDamagedFiles(packs: Packs, name: string): Promise<readonly string[] | null> {
  const pack = packByName(packs, name)
  const folder = packFolder(packs, name, pack)
  if (pack.kind === 'own' || (await stat(folder).catch(() => null)) === null) return null
  const listed = await readInventory(folder)
  if (listed === null) return [inventoryFile]
  const isPlain = pack.kind === 'model' && !modelFiles(pack).some(({ unpackedBytes }) => unpackedBytes)
  const expected = isPlain ? modelFiles(pack).map((one) => ({ ...one, path: one.file })) : listed
  const damaged: string[] = []
  for (const file of expected) {
    if ((await fileSha256(join(folder, file.path)).catch(() => null)) !== file.sha256) damaged.push(file.path)
  }
  return damaged
}

/** Whether a path is a file of the given size in bytes. */
export async function isFileOfSize(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && found.size === bytes
}

/** Returns the folder of an engine among the development packages of a clone; null in a published package. */
function findDevelopmentCopy({ packages: [{ name, version }] }: EnginePack): string | null {
  if (!import.meta.filename.endsWith('.ts')) return null
  try {
    const path = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const found = createRequire(import.meta.url)(path) as { version?: unknown }
    return found.version === version ? path.slice(0, path.lastIndexOf('node_modules') - 1) : null
  } catch {
    return null
  }
}

async function locateOwnModel({ own }: Packs, name: string, { title }: OwnPack): Promise<string | null> {
  const model = Object.hasOwn(own, name) ? own[name] : undefined
  if (!model) return null
  // All accounts see this error, so that it must not contain the path.
  const sum = await modelSha256(model.path).catch((error: unknown) => {
    throw new MediaError(6016, `${title} cannot be read (${errorCode(error) ?? 'unknown'})`, {
      cause: error,
      hint: `Correct models.${name}.path in reelwright.config.json, or remove that entry.`,
    })
  })
  if (sum === model.sha256) return model.path
  throw new MediaError(6016, `${title} has the SHA-256 ${sum}, which is not the one that is set`, {
    hint: `Use the right file, or correct models.${name}.sha256 in reelwright.config.json.`,
  })
}

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

/** A model that somebody brought. */
const ownModel = z.strictObject({ path: z.string(), sha256 }).readonly()

/** What the settings say of packs. */
export const packSettings = z
  .strictObject({
    /** Where packs lie. */
    folder: z.string(),
    /** A folder or an address that holds every file by its name; set, nothing else is asked. */
    mirror: z.string().optional(),
    /** Whether small ones come by themselves at first use. */
    automatic: z.boolean(),
    /** Models that people bring, by pack. */
    own: z.record(z.string(), ownModel.optional()).readonly(),
  })
  .readonly()
export type PackSettings = z.infer<typeof packSettings>

/** The packs there are, and the settings. */
export interface Packs extends PackSettings {
  readonly manifest: Manifest
}

/** A file of a pack as it was put there; its path is below the pack's folder, with slashes. */
const installedFile = z.strictObject({ path: z.string(), bytes: z.int(), sha256 }).readonly()
export type InstalledFile = z.infer<typeof installedFile>

const inventory = z.array(installedFile).min(1).readonly()

/** The list of a pack's files, in its folder. */
export const inventoryFile = 'pack.json'

/** A pack by its name; 6016 where there is none. */
export function packByName({ manifest }: Packs, name: string): Pack {
  const pack = Object.hasOwn(manifest, name) ? manifest[name] : undefined
  if (pack) return pack
  throw new MediaError(6016, `there is no pack ${JSON.stringify(name)}`, {
    hint: `Known ones are ${Object.keys(manifest).join(', ')}.`,
  })
}

/** A pack's folder, whose name tells its content: another version, or another machine's, never takes its place. */
export function packFolder({ folder }: Packs, name: string, pack: Pack): string {
  const content = createHash('sha256')
  for (const artifact of packArtifacts(pack)) content.update(artifact.sha256)
  if (pack.kind === 'engine') content.update(JSON.stringify(enginePackages(pack).map(extractedPaths)))
  return join(folder, `${name}-${content.digest('hex').slice(0, 12)}`)
}

/** Files of a pack that was pulled, as its inventory lists them; null where it is not there. */
export async function readInventory(folder: string): Promise<readonly InstalledFile[] | null> {
  try {
    return inventory.safeParse(JSON.parse(await readFile(join(folder, inventoryFile), 'utf8'))).data ?? null
  } catch (error) {
    // What cannot be read cannot be used; to bring it tells the system's reason.
    if (error instanceof SyntaxError || errorCode(error) !== undefined) return null
    throw error
  }
}

/**
 * Where a pack that can be used lies: a model's first file, or the folder that holds an engine's `node_modules`; null
 * where it is not there or lacks a file. An engine of this very version among this program's own packages goes first.
 */
export async function locatePack(packs: Packs, name: string): Promise<string | null> {
  const pack = packByName(packs, name)
  if (pack.kind === 'own') return await locateOwnModel(packs, name, pack)
  if (!hasBuild(pack)) return null
  if (pack.kind === 'engine') {
    const beside = findDevelopmentCopy(pack)
    if (beside !== null) return beside
  }
  const folder = packFolder(packs, name, pack)
  const listed = await readInventory(folder)
  if (listed === null) return null
  const whole = await Promise.all(listed.map(({ path, bytes }) => isFileOfSize(join(folder, path), bytes)))
  if (whole.includes(false)) return null
  return pack.kind === 'model' ? join(folder, pack.artifact.file) : folder
}

/** Paths of a pack that are not as they were pulled, all of them read; null where nothing was pulled. */
export async function findDamagedFiles(packs: Packs, name: string): Promise<readonly string[] | null> {
  const pack = packByName(packs, name)
  const folder = packFolder(packs, name, pack)
  if (pack.kind === 'own' || (await stat(folder).catch(() => null)) === null) return null
  const listed = await readInventory(folder)
  if (listed === null) return [inventoryFile]
  const isPlain = pack.kind === 'model' && !modelFiles(pack).some(({ unpackedBytes: unpacked }) => unpacked)
  const expected = isPlain ? modelFiles(pack).map((one) => ({ ...one, path: one.file })) : listed
  const damaged: string[] = []
  for (const file of expected) {
    if ((await fileSha256(join(folder, file.path)).catch(() => null)) !== file.sha256) damaged.push(file.path)
  }
  return damaged
}

/** Whether there is a file of so many bytes. */
export async function isFileOfSize(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && found.size === bytes
}

/** A clone has engines among its development packages; what lies beside the built package is somebody else's. */
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
  // Every account is told of it, and where it lies is the service's own matter.
  const sum = await modelSha256(model.path).catch((error: unknown) => {
    throw new MediaError(6016, `${title}: it cannot be read (${errorCode(error) ?? 'unknown'})`, {
      cause: error,
      hint: `Correct models.${name}.path in reelwright.config.json, or leave it out.`,
    })
  })
  if (sum === model.sha256) return model.path
  throw new MediaError(6016, `${title}: it has the SHA-256 ${sum}, not the one that is set`, {
    hint: `Bring the right one, or correct models.${name}.sha256 in reelwright.config.json.`,
  })
}

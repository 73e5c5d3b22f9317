import { MediaError } from '../../contract/errors.ts'
import { lazy } from '../../platform/cache.ts'
import type { Artifact, EnginePack, ModelPack, NodePackage, Pack, RemoteFile } from './manifest.ts'

/** Returns the name of this machine in manifests, such as `linux-x64`. */
export const thisMachine = lazy(() => machineName(process, process.platform !== 'linux' || hasGlibc()))

/**
 * Returns the name of a machine in manifests. Linux without glibc (Alpine) has a name of its own, as builds need glibc.
 */
export function machineName(
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
  isGlibc: boolean,
): string {
  return platform === 'linux' && !isGlibc ? `linux-musl-${arch}` : `${platform}-${arch}`
}

/** Whether a pack can be used on this machine. */
export function hasBuild(pack: Pack): boolean {
  return pack.kind !== 'engine' || pack.builds === undefined || pack.builds.includes(thisMachine())
}

/** Returns the packages of an engine that a machine needs. */
export function enginePackages({ packages }: EnginePack, machine = thisMachine()): readonly NodePackage[] {
  return packages.filter((item) => (item.machine ?? machine) === machine)
}

/** Returns the files of a pack that are downloaded for a machine; none for a user's own model. */
export function packArtifacts(pack: Pack, machine = thisMachine()): readonly Artifact[] {
  if (pack.kind === 'own') return []
  if (pack.kind === 'model') return modelFiles(pack)
  return enginePackages(pack, machine).map(({ artifact }) => artifact)
}

/** Returns all files of a model. */
export function modelFiles({ artifact, otherFiles = [] }: ModelPack): readonly RemoteFile[] {
  return [artifact, ...otherFiles]
}

/** Returns the paths in a package that this machine needs, with slashes. */
export function extractedPaths({ extract }: NodePackage): readonly string[] {
  const { platform, arch } = process
  return extract.map((path) => path.replace('{platform}', platform).replace('{arch}', arch))
}

/** Returns the size of a pack's download for a machine, in bytes. */
export function packDownloadBytes(pack: Pack, machine = thisMachine()): number {
  return packArtifacts(pack, machine).reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The error for an engine that has no build for this machine. */
export function noBuildError({ title }: EnginePack): MediaError {
  return new MediaError(6401, `${title} has no build for ${thisMachine()}`, {
    retryable: false,
    hint: 'Use a service on another machine: REELWRIGHT_BASE_URL.',
  })
}

function hasGlibc(): boolean {
  // Otherwise the report resolves the names of all connected hosts, one after the other.
  Object.assign(process.report, { excludeNetwork: true })
  const report: { header?: { glibcVersionRuntime?: unknown } } = process.report.getReport()
  return report.header?.glibcVersionRuntime !== undefined
}

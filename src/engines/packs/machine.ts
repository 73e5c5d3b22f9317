import { MediaError } from '../../contract/errors.ts'
import { lazy } from '../../platform/cache.ts'
import type { Artifact, EnginePack, ModelPack, NodePackage, Pack, RemoteFile } from './manifest.ts'

/** This machine as manifests name it. */
export const thisMachine = lazy(() => machineName(process, process.platform !== 'linux' || hasGlibc()))

/** A machine as manifests name it: builds for Linux are linked to GNU's C library, which Alpine's Node is not. */
export function machineName(
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
  isGlibc: boolean,
): string {
  return platform === 'linux' && !isGlibc ? `linux-musl-${arch}` : `${platform}-${arch}`
}

/** Tells whether a pack can be used on this machine. */
export function hasBuild(pack: Pack): boolean {
  return pack.kind !== 'engine' || pack.builds === undefined || pack.builds.includes(thisMachine())
}

/** The packages of an engine that a machine needs. */
export function enginePackages({ packages }: EnginePack, machine = thisMachine()): readonly NodePackage[] {
  return packages.filter((item) => (item.machine ?? machine) === machine)
}

/** Every file that is fetched of a pack for a machine; none of one that people bring. */
export function packArtifacts(pack: Pack, machine = thisMachine()): readonly Artifact[] {
  if (pack.kind === 'own') return []
  if (pack.kind === 'model') return modelFiles(pack)
  return enginePackages(pack, machine).map(({ artifact }) => artifact)
}

/** Every file of a model. */
export function modelFiles({ artifact, otherFiles: beside = [] }: ModelPack): readonly RemoteFile[] {
  return [artifact, ...beside]
}

/** What of a package this machine needs: paths in it, with slashes. */
export function extractedPaths({ extract: keep }: NodePackage): readonly string[] {
  const { platform, arch } = process
  return keep.map((path) => path.replace('{platform}', platform).replace('{arch}', arch))
}

/** Bytes that travel for a pack to a machine. */
export function packDownloadBytes(pack: Pack, machine = thisMachine()): number {
  return packArtifacts(pack, machine).reduce((sum, { bytes }) => sum + bytes, 0)
}

/** What answers who asks for an engine that this machine cannot run. */
export function noBuildError({ title }: EnginePack): MediaError {
  return new MediaError(6401, `${title} has no build for ${thisMachine()}`, {
    retryable: false,
    hint: 'Use a service on another machine: REELWRIGHT_BASE_URL.',
  })
}

function hasGlibc(): boolean {
  // Otherwise it looks up the names of all that this process is connected with, one by one.
  Object.assign(process.report, { excludeNetwork: true })
  const report: { header?: { glibcVersionRuntime?: unknown } } = process.report.getReport()
  return report.header?.glibcVersionRuntime !== undefined
}

import { MediaError } from '../../contract/errors.ts'
import { once } from '../../platform/once.ts'
import type { EnginePack, Pack } from './manifest.ts'

/** This machine as manifests name it. */
export const thisMachine = once(() => machineName(process, process.platform !== 'linux' || hasGlibc()))

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

/** What answers who asks for an engine that this machine cannot run. */
export function noBuild({ title }: EnginePack): MediaError {
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

import type { Capabilities } from '../contract/catalog.ts'
import { describeFirstDownload, summarizeList } from '../contract/format.ts'

/** Operations that are ready in the same way, or miss the same. */
interface OperationGroup {
  readonly operations: string
  /** `after a download of 2.3 MiB (text-detection)`, or what is missing and its fix. */
  readonly state: string
}

/** Short state of the service for agents. */
export interface ServiceSummary {
  readonly version: string
  /** Names of operations that can start at once. */
  readonly ready: readonly string[]
  readonly ready_after_download?: readonly OperationGroup[]
  readonly not_ready?: readonly OperationGroup[]
  readonly credits: Capabilities['credits']
  readonly tasks: Capabilities['tasks']
}

/** Groups of missing requirements that are shown. */
const maxMissing = 3

/** Longest text of what is missing, in characters. */
const maxMissingLength = 130

/** Operations that a group names. */
const maxNames = 5

/** Summarizes the capabilities of a service, in at most about 1000 characters: details are left to the full answer. */
export function summarizeService({ version, operations, credits, tasks }: Capabilities): ServiceSummary {
  const isReady = ({ ready }: Operation): boolean => ready
  const waiting = groupOperations(
    operations.filter(isReady),
    ({ first_download: download }) => download && describeFirstDownload(download),
  )
  const blocked = groupOperations(
    operations.filter((operation) => !isReady(operation)),
    ({ missing }) => shorten(missing ?? 'not ready'),
  )
  const hidden = blocked.slice(maxMissing)
  const others = { operations: `${hidden.length} more`, state: 'see details' }
  return {
    version,
    ready: operations.filter((one) => one.ready && !one.first_download).map(({ name }) => name),
    ...(waiting.length > 0 && { ready_after_download: waiting }),
    ...(blocked.length > 0 && {
      not_ready: [...blocked.slice(0, maxMissing), ...(hidden.length > 0 ? [others] : [])],
    }),
    credits,
    tasks,
  }
}

type Operation = Capabilities['operations'][number]

function groupOperations(
  operations: readonly Operation[],
  describe: (operation: Operation) => string | undefined,
): OperationGroup[] {
  const names = new Map<string, string[]>()
  for (const operation of operations) {
    const state = describe(operation)
    if (state !== undefined) names.set(state, [...(names.get(state) ?? []), operation.name])
  }
  return [...names].map(([state, group]) => ({ operations: summarizeList(group, maxNames, ', '), state }))
}

function shorten(text: string): string {
  return text.length > maxMissingLength ? `${text.slice(0, maxMissingLength)}…` : text
}

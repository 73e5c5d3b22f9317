import type { Capabilities } from '../contract/catalog.ts'
import { describeFirstDownload, summarizeList } from '../contract/format.ts'
import { describeLibrary } from '../contract/library.ts'

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
  /** Numbers of materials, and whether only words find them. */
  readonly library?: string
}

/** How much a summary states. */
interface SummaryOptions {
  /** Length of the list of what is not ready, in characters as JSON. */
  readonly room?: number
  /** Whether it states the packs that first uses download, and their sizes. */
  readonly nameDownloads?: boolean
}

/** Whether a summary left out groups of operations that are not ready. */
export function leavesOutFixes({ not_ready = [] }: ServiceSummary): boolean {
  return not_ready.some(({ state }) => state === leftOutState)
}

/** State of the groups that a summary leaves out. */
const leftOutState = 'see details'

/** Length of the list of what is not ready by default, in characters as JSON. */
const defaultRoom = 600

/** Longest text of what is missing that states no fix, and longest reason before a fix, in characters. */
const maxReasonLength = { alone: 130, beforeFix: 60 } as const

/** Operations that a group names. */
const maxNames = 5

/**
 * Summarizes the capabilities of a service: details are left to the full answer. The list of what is not ready has at
 * most `room` characters as JSON where its first group fits. A fix is never cut: first the reason before it is
 * shortened, then remarks after the command or setting are left out, then groups.
 */
export function summarizeService(
  { version, operations, credits, tasks, library }: Capabilities,
  { room = defaultRoom, nameDownloads = true }: SummaryOptions = {},
): ServiceSummary {
  const isReady = ({ ready }: Operation): boolean => ready
  const waiting = groupOperations(
    operations.filter(isReady),
    ({ first_download: download }) =>
      download && (nameDownloads ? describeFirstDownload(download) : 'after a download'),
  )
  const blocked = groupOperations(
    operations.filter((operation) => !isReady(operation)),
    ({ missing }) => missing ?? 'not ready',
  )
  return {
    version,
    ready: operations.filter((one) => one.ready && !one.first_download).map(({ name }) => name),
    ...(waiting.length > 0 && { ready_after_download: waiting }),
    ...(blocked.length > 0 && { not_ready: fitGroups(blocked, room) }),
    credits,
    tasks,
    ...(library && { library: describeLibrary(library) }),
  }
}

/** Forms of what is missing, from the longest to the shortest. */
const missingForms: readonly ((missing: string) => string)[] = [
  (missing) => missing,
  (missing) => shortenReason(missing, maxReasonLength.beforeFix),
  (missing) => leaveOutRemarks(shortenReason(missing, maxReasonLength.beforeFix)),
  (missing) => leaveOutRemarks(shortenReason(missing, 0)),
]

/** The longest form in which all groups fit, else as many groups as fit, and the number of the others. */
function fitGroups(groups: readonly OperationGroup[], room: number): readonly OperationGroup[] {
  const fits = (some: readonly OperationGroup[]): boolean => JSON.stringify(some).length <= room
  const forms = missingForms.map((form) =>
    joinEqual(groups.map(({ operations, state }) => ({ operations, state: form(state) }))),
  )
  const fitting = forms.find(fits)
  if (fitting) return fitting
  const shortest = forms.at(-1) ?? []
  const withRest = (count: number): readonly OperationGroup[] => [
    ...shortest.slice(0, count),
    { operations: `${shortest.length - count} more`, state: leftOutState },
  ]
  let count = shortest.length - 1
  while (count > 1 && !fits(withRest(count))) count -= 1
  return count > 0 ? withRest(count) : shortest
}

/** Joins groups whose shortened states are equal but for a full stop. */
function joinEqual(groups: readonly OperationGroup[]): readonly OperationGroup[] {
  const states = Map.groupBy(groups, ({ state }) => state.replace(/\.$/, ''))
  return [...states.values()].map((equal) => ({
    operations: equal.map(({ operations }) => operations).join(', '),
    state: equal[0]?.state ?? '',
  }))
}

/** What separates the reason from its fix. */
const fixMark = 'Fix: '

/** Shortens the reason before a fix to its first part; a text without a fix is cut. */
function shortenReason(missing: string, maxLength: number): string {
  const at = missing.indexOf(fixMark)
  if (at < 0) return cut(missing, maxReasonLength.alone)
  const reason = missing.slice(0, at).trimEnd()
  if (reason.length <= maxLength) return missing
  const fix = missing.slice(at)
  const [first = ''] = reason.split(';')
  return maxLength === 0 ? fix : `${cut(first, maxLength).replace(/…?$/, '…')} ${fix}`
}

/** Ends the fix after the sentence of its first command, setting or quoted value; a text without one is unchanged. */
function leaveOutRemarks(missing: string): string {
  const at = Math.max(0, missing.indexOf(fixMark))
  const [stated] =
    /^[^"`]*?(?:reelwright |models pull |["`]).*?(?:\.(?= [A-Z])|$)/s.exec(missing.slice(at)) ?? []
  return stated === undefined ? missing : missing.slice(0, at) + stated
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

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

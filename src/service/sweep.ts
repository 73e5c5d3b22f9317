import { setTimeout as pause } from 'node:timers/promises'
import { removeExpiredKeys } from '../accounts/keys.ts'
import { removeExpiredEventTickets } from '../accounts/tickets.ts'
import type { RemovedFile } from '../files/content.ts'
import { removeFilesByAge } from '../files/removal.ts'
import { removeExpiredUploads } from '../files/uploads.ts'
import { removeExpiredEvents } from '../tasks/events.ts'
import { removeExpiredIdempotencyKeys } from '../tasks/idempotency.ts'
import type { Service } from '../tasks/service.ts'

/** From the end of a sweep to the next, ms. */
const sweepIntervalMs = 3_600_000

/** A service that may be told of each file that goes. */
interface SweepContext extends Service {
  readonly onRemoved?: (file: RemovedFile) => void
}

/** What is removed when its time is over. */
const removals: Readonly<Record<string, (service: SweepContext, signal: AbortSignal) => Promise<void>>> = {
  files: async (service, signal) => {
    await removeFilesByAge(service, { now: service.clock(), signal, onRemoved: service.onRemoved })
  },
  uploads: removeExpiredUploads,
  'idempotency keys': removeExpiredIdempotencyKeys,
  events: removeExpiredEvents,
  tickets: ({ db, clock }) => removeExpiredEventTickets(db, clock()),
  keys: ({ db, clock }) => removeExpiredKeys(db, clock()),
}

/** Sweeps now and then hourly; disposing waits for what is under way. */
export function sweepHourly(service: SweepContext, rest: typeof untilNext = untilNext): AsyncDisposable {
  const stop = new AbortController()
  const sweeping = keepSweeping(service, { signal: stop.signal, rest })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await sweeping
    },
  }
}

async function keepSweeping(
  service: SweepContext,
  { signal, rest }: { signal: AbortSignal; rest: typeof untilNext },
): Promise<void> {
  while (!signal.aborted) {
    await sweep(service, signal)
    await rest(signal)
  }
}

async function untilNext(signal: AbortSignal): Promise<void> {
  // Rejects only when it is ended early.
  await pause(sweepIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Removes all that has expired; what fails is logged, and left to the next sweep. */
async function sweep(service: SweepContext, signal: AbortSignal): Promise<void> {
  for (const [what, remove] of Object.entries(removals)) {
    if (signal.aborted) return
    try {
      await remove(service, signal)
    } catch (error) {
      service.log.error({ err: error }, `expired ${what} could not be removed`)
    }
  }
}

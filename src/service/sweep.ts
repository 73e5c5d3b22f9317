import { setTimeout as delay } from 'node:timers/promises'
import { removeExpiredKeys } from '../accounts/keys.ts'
import { removeExpiredEventTickets } from '../accounts/tickets.ts'
import type { RemovedFile } from '../files/content.ts'
import { removeFilesByAge } from '../files/removal.ts'
import { removeExpiredUploads } from '../files/uploads.ts'
import { removeExpiredEvents } from '../tasks/events.ts'
import { removeExpiredIdempotencyKeys } from '../tasks/idempotency.ts'
import type { Service } from '../tasks/service.ts'

/** Time from the end of a sweep to the next, ms. */
const sweepIntervalMs = 3_600_000

/** A service, with a callback for each removed file. */
interface SweepContext extends Service {
  readonly onRemoved?: (file: RemovedFile) => void
}

/** Removal of expired data, by kind. */
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

/** Removes expired data now and then hourly; disposal waits for a running sweep. */
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
  // Rejects only if aborted.
  await delay(sweepIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Removes all expired data. Failures are logged and retried in the next sweep. */
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

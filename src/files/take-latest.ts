import { MediaError } from '../contract/errors.ts'

type ByteStream = AsyncIterable<Uint8Array>

/** Work under way. */
interface RunningWork<T> {
  /** Ends it in favour of a newer one. */
  giveWay(newer: Promise<T>): void
  /** Resolves when the work is over, however it ended. */
  readonly over: Promise<unknown>
}

/**
 * Runs work on what clients send, so that of several at once under one name only the newest goes on, and
 * begins when the others are over: a client that lost its connection need not wait until the service
 * notices. Work that gives way sees its source fail; the rest of what was sent is read and dropped, and
 * it turns out as the newer one does, or 6036 where that fails.
 */
export function takeLatest<T>() {
  const newest = new Map<string, RunningWork<T>>()
  return async (name: string, sent: ByteStream, work: (source: ByteStream) => Promise<T>): Promise<T> => {
    const older = newest.get(name)
    const chunks = sent[Symbol.asyncIterator]()
    const gaveWay = new Error('a newer one goes on')
    let heir: Promise<T> | undefined
    let interrupt: (() => void) | undefined

    /** The chunks until a newer one comes. */
    async function* untilHeir(): AsyncGenerator<Uint8Array> {
      while (!heir) {
        // Not a race with a promise of the heir, which would hold on to every chunk.
        const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          interrupt = () => reject(gaveWay)
          chunks.next().then(resolve, reject)
        })
        if (done) return
        yield value
      }
      throw gaveWay
    }
    const working = (older?.over ?? Promise.resolve()).then(() => work(untilHeir()))
    const outcome = working.catch(async (error: unknown) => {
      if (error !== gaveWay || !heir) throw error
      while (!(await chunks.next()).done) continue
      return await heir.catch((cause: unknown) => {
        throw new MediaError(6036, 'the same was sent once more at the same time, and failed', { cause })
      })
    })
    const reception: RunningWork<T> = {
      giveWay(newer) {
        heir = newer
        interrupt?.()
      },
      over: working.catch(() => undefined),
    }
    newest.set(name, reception)
    older?.giveWay(outcome)
    try {
      return await outcome
    } finally {
      if (newest.get(name) === reception) newest.delete(name)
      // Lets go of what was not read; waiting for that would wait for what may never come.
      void chunks.return?.().catch(() => undefined)
    }
  }
}

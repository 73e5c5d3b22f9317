import { MediaError } from '../contract/errors.ts'

type ByteStream = AsyncIterable<Uint8Array>

/** Work in progress under one name. */
interface RunningWork<T> {
  /** Stops the work in favour of a newer call. */
  yieldTo(newer: Promise<T>): void
  /** Resolves when the work has ended, whether it succeeded or failed. */
  readonly settled: Promise<unknown>
}

/**
 * Runs work on incoming streams so that only the latest call per name proceeds, after earlier ones have ended. A
 * client that lost its connection can therefore send again before the service notices. The source of a superseded
 * call fails, its remaining input is discarded, and it returns the result of the newer call, or 6036 when that
 * fails.
 */
export function takeLatest<T>() {
  const newest = new Map<string, RunningWork<T>>()
  return async (name: string, sent: ByteStream, work: (source: ByteStream) => Promise<T>): Promise<T> => {
    const older = newest.get(name)
    const chunks = sent[Symbol.asyncIterator]()
    const superseded = new Error('superseded by a newer request')
    let newerResult: Promise<T> | undefined
    let interrupt: (() => void) | undefined

    /** Yields chunks until a newer call starts. */
    async function* untilSuperseded(): AsyncGenerator<Uint8Array> {
      while (!newerResult) {
        // Not Promise.race with a long-lived promise, which would keep every chunk in memory.
        const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          interrupt = () => reject(superseded)
          chunks.next().then(resolve, reject)
        })
        if (done) return
        yield value
      }
      throw superseded
    }
    const working = (older?.settled ?? Promise.resolve()).then(() => work(untilSuperseded()))
    const outcome = working.catch(async (error: unknown) => {
      if (error !== superseded || !newerResult) throw error
      while (!(await chunks.next()).done) continue
      return await newerResult.catch((cause: unknown) => {
        throw new MediaError(
          6036,
          'a newer request with the same part was sent at the same time and failed',
          { cause },
        )
      })
    })
    const reception: RunningWork<T> = {
      yieldTo(newer) {
        newerResult = newer
        interrupt?.()
      },
      settled: working.catch(() => undefined),
    }
    newest.set(name, reception)
    older?.yieldTo(outcome)
    try {
      return await outcome
    } finally {
      if (newest.get(name) === reception) newest.delete(name)
      // Closes the source without waiting, because it may never end.
      void chunks.return?.().catch(() => undefined)
    }
  }
}

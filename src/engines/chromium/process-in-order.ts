interface ProcessInOrderOptions<T> {
  /** Number of jobs, which are numbered from 0. */
  readonly count: number
  readonly workers: number
  /** Called by each worker with one job after another, in rising order. */
  readonly process: (worker: number, job: number) => Promise<T>
  /** Called when no more results are wanted: makes the jobs in progress fail. */
  readonly abort: () => void
}

/**
 * Processes jobs with several workers in parallel and yields the results in order. A job starts only if it is close to
 * the last yielded one, which limits how many results are buffered. The first failure ends all jobs.
 */
export async function* processInOrder<T>(options: ProcessInOrderOptions<T>): AsyncGenerator<T> {
  const { count, workers, process, abort } = options
  const results = new Map<number, PromiseWithResolvers<T>>()
  const resultOf = (job: number) => {
    const result = results.get(job) ?? Promise.withResolvers<T>()
    results.set(job, result)
    return result
  }
  let next = 0
  let yielded = 0
  let advanced = Promise.withResolvers<void>()

  const run = async (worker: number) => {
    while (next < count) {
      if (next > yielded + workers) {
        await advanced.promise
        continue
      }
      const job = next
      next += 1
      resultOf(job).resolve(await process(worker, job))
    }
  }
  const failed = Promise.withResolvers<never>()
  // Reported only while a result is awaited.
  failed.promise.catch(() => undefined)
  const running = Array.from({ length: workers }, (_, worker) => run(worker).catch(failed.reject))
  try {
    for (; yielded < count; yielded += 1) {
      const result = await Promise.race([resultOf(yielded).promise, failed.promise])
      results.delete(yielded)
      yield result
      advanced.resolve()
      advanced = Promise.withResolvers()
    }
  } finally {
    next = count
    advanced.resolve()
    abort()
    await Promise.all(running)
  }
}

/** Pieces of work and who does them. */
interface ProcessInOrderOptions<T> {
  /** Pieces are numbered from 0. */
  readonly count: number
  readonly workers: number
  /** Called by each worker with one piece after another, rising. */
  readonly process: (worker: number, piece: number) => Promise<T>
  /** Ends what is in work, which then fails, when nobody wants the results any more. */
  readonly abort: () => void
}

/**
 * Does pieces of work with workers side by side and yields the results in order. A piece is begun only when it
 * is near those that were taken, so that few results wait. The first failure ends all.
 */
export async function* processInOrder<T>({
  count,
  workers,
  process: work,
  abort: stop,
}: ProcessInOrderOptions<T>): AsyncGenerator<T> {
  const results = new Map<number, PromiseWithResolvers<T>>()
  const resultOf = (piece: number) => {
    const result = results.get(piece) ?? Promise.withResolvers<T>()
    results.set(piece, result)
    return result
  }
  let next = 0
  let taken = 0
  let moved = Promise.withResolvers<void>()

  const run = async (worker: number) => {
    while (next < count) {
      if (next > taken + workers) {
        await moved.promise
        continue
      }
      const piece = next
      next += 1
      resultOf(piece).resolve(await work(worker, piece))
    }
  }
  const failed = Promise.withResolvers<never>()
  // Heard only where a result is waited for.
  failed.promise.catch(() => undefined)
  const running = Array.from({ length: workers }, (_, worker) => run(worker).catch(failed.reject))
  try {
    for (; taken < count; taken += 1) {
      const result = await Promise.race([resultOf(taken).promise, failed.promise])
      results.delete(taken)
      yield result
      moved.resolve()
      moved = Promise.withResolvers()
    }
  } finally {
    next = count
    moved.resolve()
    stop()
    await Promise.all(running)
  }
}

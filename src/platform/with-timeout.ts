/**
 * Returns the result of work, or throws the error of `timeout` when it takes longer than so many milliseconds.
 * Late work continues; its result is dropped.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, timeout: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(timeout()), ms).unref()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

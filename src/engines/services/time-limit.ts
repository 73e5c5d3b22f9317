/** A limit of time that is counted from its begin to its end, and aborts with its reason. */
export function timeLimit(reason: () => Error, milliseconds: number) {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    signal: late.signal,
    begin: () => void (timer ??= setTimeout(() => late.abort(reason()), milliseconds)),
    end,
    [Symbol.dispose]: end,
  }
}

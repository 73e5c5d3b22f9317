/** Clock, ms since 1970, and timers; tests inject one. */
export interface Clock {
  now(): number
  /** Calls a function after so many ms. Returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void
}

/** The clock of the machine; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref()
    return () => clearTimeout(timer)
  },
}

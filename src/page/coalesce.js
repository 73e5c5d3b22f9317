/**
 * Wraps an action so that calls during a run cause exactly one more run afterwards. The final state
 * is therefore never older than the last call.
 *
 * @param {() => Promise<unknown>} act never rejects
 * @returns {() => Promise<void>} resolves when no run is pending
 */
export function coalesce(act) {
  /** @type {Promise<void> | undefined} */
  let running
  let isPending = false
  const run = async () => {
    while (isPending) {
      isPending = false
      await act()
    }
    running = undefined
  }
  return () => {
    isPending = true
    return (running ??= run())
  }
}

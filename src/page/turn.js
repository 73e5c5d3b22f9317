/**
 * Makes an action that, wished for while it runs, runs once more afterwards, however often: so that
 * what is shown in the end is never older than the last wish.
 *
 * @param {() => Promise<unknown>} act never rejects
 * @returns {() => Promise<void>} resolves when nothing more is wished for
 */
export function onceMore(act) {
  /** @type {Promise<void> | undefined} */
  let running
  let wished = false
  const run = async () => {
    while (wished) {
      wished = false
      await act()
    }
    running = undefined
  }
  return () => {
    wished = true
    return (running ??= run())
  }
}

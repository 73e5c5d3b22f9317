import type { FileHandle } from 'node:fs/promises'

/**
 * Makes the bytes of one file durable, for several writers: those who ask while a sync runs share the next one,
 * which serves all bytes written before it began. So however many ask, at most one of the few threads that all
 * file operations share waits for the disk.
 */
export function sharedSync(): (file: FileHandle) => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (file) => {
    next ??= running
      // How it ended is told to those who waited for it.
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return (running = file.datasync())
      })
    return next
  }
}

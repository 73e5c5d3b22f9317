import { copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A log file and the one before it take at most twice this, bytes. */
const maxLogBytes = 8 * 2 ** 20

/**
 * Puts what a log file holds aside as `<path>.1` when it has grown too large. The file is emptied
 * in place: whoever else writes to it, such as a process whose stderr it is, goes on in it.
 */
export function rotateLogFile(fd: number, path: string, limit = maxLogBytes): void {
  if (fstatSync(fd).size <= limit) return
  try {
    copyFileSync(path, `${path}.1`)
  } catch {
    // On a full disk the old lines are given up rather than the bound.
  }
  ftruncateSync(fd)
}

/** Where log lines go. */
export interface LogFile {
  write(line: string): void
}

/**
 * Opens a file to append log lines to, for this user's eyes alone and bounded in size. A line that
 * cannot be written is lost: a full disk must not end the service.
 */
export function openLogFile(path: string, limit = maxLogBytes): LogFile {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'a', 0o600)
  return {
    write(line) {
      try {
        writeSync(fd, line)
        rotateLogFile(fd, path, limit)
      } catch {
        // There is nowhere to tell it.
      }
    },
  }
}

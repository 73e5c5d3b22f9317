import type { ChildProcess } from 'node:child_process'
import { MediaError } from '../contract/errors.ts'
import { redact } from '../platform/log.ts'
import { errorCode } from '../platform/system-error.ts'

/** Longest output in an error, characters. */
const maxOutputLength = 300

/** The line of a stack trace that names the error: `Error: Cannot find module`, `TypeError [CODE]: text`. */
const errorLine = /^(?:\w*Error|SystemError)\b[^:]*: ./

/** Observes the start of a worker process, to report why it failed. */
export class WorkerStart {
  readonly #process: ChildProcess
  readonly #closed: Promise<void>
  #spawnError: Error | undefined
  #output = ''

  constructor(child: ChildProcess) {
    this.#process = child
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()))
    child.once('error', (error) => (this.#spawnError = error))
  }

  /** Takes a line of output. The first that names an error counts, or else the last. */
  addOutput(line: string): void {
    if (line.trim() !== '' && !errorLine.test(this.#output)) this.#output = line
  }

  /**
   * Waits until the process and its output have ended, and returns the error 6500 with the reason and a fix.
   * isUnidentified: its start time could not be read, so that it was killed unless it had ended.
   */
  async failure({ isUnidentified }: { readonly isUnidentified: boolean }): Promise<MediaError> {
    await this.#closed
    const { reason, hint } = this.#spawnError
      ? spawnFailure(this.#spawnError, this.#process.spawnfile)
      : this.#earlyEnd(isUnidentified)
    return new MediaError(6500, `a worker process could not be started: ${reason}`, {
      cause: this.#spawnError,
      hint,
    })
  }

  #earlyEnd(isUnidentified: boolean): StartFailure {
    const { exitCode, signalCode } = this.#process
    if (isUnidentified && signalCode === 'SIGKILL') {
      return {
        reason: 'its start time cannot be read',
        hint: 'Let the service read the state of its processes: /proc on Linux, /bin/ps elsewhere.',
      }
    }
    const output = this.#output === '' ? '' : `: ${redact(this.#output).slice(0, maxOutputLength)}`
    if (signalCode !== null) {
      return {
        reason: `${signalCode} ended it${output}`,
        hint: 'Raise the limit of memory of the service, or run fewer tasks at a time.',
      }
    }
    return {
      reason: `it exited with code ${exitCode}${output}`,
      hint: `Let ${serviceUser()} read all files of the program. Restart the service if it was updated or moved.`,
    }
  }
}

interface StartFailure {
  readonly reason: string
  readonly hint: string
}

/** Reason and fix of a program that the system did not start. */
function spawnFailure(error: Error, program: string): StartFailure {
  const code = errorCode(error)
  const reason = `${program} cannot be run (${code ?? error.message})`
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      reason,
      hint: `Let ${serviceUser()} run this file and enter the folders above it, or install Node where that is so.`,
    }
  }
  if (code === 'ENOENT') {
    return { reason, hint: 'Restart the service: its program was updated, moved or removed.' }
  }
  return {
    reason,
    hint: `Raise the limits of processes, open files and memory of ${serviceUser()}, or run fewer tasks at a time.`,
  }
}

/** Names the user of this process: `the service's user (65534)`. */
function serviceUser(): string {
  const id = process.getuid?.()
  return id === undefined ? "the service's user" : `the service's user (${id})`
}

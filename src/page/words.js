/** @import { TaskError, TaskRecord, TaskState } from '../contract/task.ts' */

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** @type {Readonly<Record<TaskState, string>>} */
export const stateNames = {
  created: 'Waiting',
  queued: 'Waiting',
  processing: 'Running',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** Error code of a task that was ended while it was worked on. */
const stoppedOnRequest = 6009

/** What a failed task is called that somebody stopped: nothing is wrong with it. */
export const stopped = 'Stopped'

/** @param {TaskRecord} task */
export function wasStopped({ output_result }) {
  const error = /** @type {TaskError | undefined} */ (output_result?.['error'])
  return error?.code === stoppedOnRequest
}

/**
 * Bytes in words; 1 KB is 1024 of them.
 *
 * @param {number} bytes
 */
export function size(bytes) {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${number.format(bytes / 2 ** (10 * power))} ${units[power]}`
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${number.format(seconds)} s`
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor)
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`
}

/** @param {number} amount */
export function credits(amount) {
  return `${number.format(amount)} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`
}

/**
 * A moment in the reader's own time.
 *
 * @param {string} iso ISO 8601
 */
export function moment(iso) {
  const made = document.createElement('time')
  made.dateTime = iso
  made.textContent = date.format(new Date(iso))
  return made
}

/** @import { TaskError, TaskRecord, TaskState } from '../contract/task.ts' */

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
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

/** Error code of a task that a user stopped. */
const stoppedCode = 6009

/** State name of a task that a user stopped, which is stored as failed but is no error. */
export const stopped = 'Stopped'

/** State name of a task that waits for answers to its questions. */
export const asked = 'Waiting for answers'

/** @param {TaskRecord} task */
export function wasStopped({ output_result }) {
  const error = /** @type {TaskError | undefined} */ (output_result?.['error'])
  return error?.code === stoppedCode
}

/** @param {number} bytes */
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
 * A `time` element in the time zone and language of the browser.
 *
 * @param {string} iso ISO 8601
 */
export function moment(iso) {
  const node = document.createElement('time')
  node.dateTime = iso
  node.textContent = date.format(new Date(iso))
  return node
}

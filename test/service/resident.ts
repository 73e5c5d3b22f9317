import { readFile } from 'node:fs/promises'

/** Peak of a process's resident memory so far, MiB, as Linux tells it. */
export function peakResident(pid: number | undefined): Promise<number> {
  return mebibytes(pid, 'VmHWM')
}

/** A process's resident memory now, MiB, as Linux tells it. */
export function residentNow(pid: number | undefined): Promise<number> {
  return mebibytes(pid, 'VmRSS')
}

async function mebibytes(pid: number | undefined, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}

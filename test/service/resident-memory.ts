import { readFile } from 'node:fs/promises'

/** Peak resident memory of a process, MiB; Linux only. */
export function peakResidentMiB(pid: number | undefined): Promise<number> {
  return mebibytes(pid, 'VmHWM')
}

/** Current resident memory of a process, MiB; Linux only. */
export function currentResidentMiB(pid: number | undefined): Promise<number> {
  return mebibytes(pid, 'VmRSS')
}

async function mebibytes(pid: number | undefined, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}

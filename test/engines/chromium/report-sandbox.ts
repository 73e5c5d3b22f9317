import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultBrowserLimits } from '../../../src/engines/chromium/browser-failure.ts'
import { Browser } from '../../../src/engines/chromium/browser.ts'
import { preferredCaptureMethod } from '../../../src/engines/chromium/capture.ts'
import { HostPage } from '../../../src/engines/chromium/host-page.ts'
import { setSearchPath } from '../../../src/platform/environment.ts'

// Linux: opens a page and prints how its renderers are confined, as JSON. A test runs it as another user.

/** How a renderer process is confined. */
export interface RendererReport {
  readonly hasSandboxFlag: boolean
  /** Seccomp mode of the process: 2 is a filter of system calls. */
  readonly seccomp: string
  /** Whether the process has namespaces of its own, and so sees no other processes and no network. */
  readonly isNamespaced: boolean
}

setSearchPath(process.env['PATH'])
const scratch = await mkdtemp(join(tmpdir(), 'reelwright-sandbox-'))
const method = preferredCaptureMethod()
const browser = await Browser.launch({
  scratch,
  limits: defaultBrowserLimits,
  signal: new AbortController().signal,
  beginFrame: method === 'begin-frame',
})
try {
  await HostPage.open(browser, { width: 320, height: 180, method, limits: defaultBrowserLimits })
  process.stdout.write(JSON.stringify(await renderers()))
} finally {
  await browser[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
}

/** Describes the renderers that this process has started through its browser. */
async function renderers(): Promise<RendererReport[]> {
  const reports: RendererReport[] = []
  for (const pid of await descendants(process.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    if (!command.includes('--type=renderer')) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    reports.push({
      hasSandboxFlag: !command.includes('--no-sandbox'),
      seccomp: valueOf(status, 'Seccomp'),
      isNamespaced: valueOf(status, 'NSpid').split(/\s+/).length > 1,
    })
  }
  return reports
}

async function descendants(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map<number, number>()
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    parents.set(pid, Number(valueOf(status, 'PPid')))
  }
  const isBelow = (pid: number): boolean => {
    const above = parents.get(pid) ?? 0
    return above === parent || (above > 1 && isBelow(above))
  }
  return pids.filter(isBelow)
}

/** Value of a line of /proc/<pid>/status; empty if it has none. */
function valueOf(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
}

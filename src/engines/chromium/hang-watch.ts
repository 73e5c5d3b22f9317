import { setTimeout as delay } from 'node:timers/promises'
import { BrowserFailure, type BrowserLimits } from './browser-failure.ts'
import type { PageSession } from './page-session.ts'

/** Interval between checks, ms. Shorter work is not checked at all. */
const checkIntervalMs = 500

/**
 * Runs work of a page. Throws `BrowserFailure` if the browser spends `blockedCpuMs` while a script keeps the page from
 * responding, or `workCpuMs` in total. Processor time is measured, so that a busy machine changes nothing.
 */
export async function watchForHang<T>(
  page: PageSession,
  limits: Pick<BrowserLimits, 'blockedCpuMs' | 'workCpuMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const working = work().finally(() => ended.abort())
  return await Promise.race([working, detectHang(page, limits, ended.signal)])
}

/** Throws when a limit is exceeded, or the reason of the signal. */
async function detectHang(
  page: PageSession,
  { blockedCpuMs, workCpuMs }: Pick<BrowserLimits, 'blockedCpuMs' | 'workCpuMs'>,
  signal: AbortSignal,
): Promise<never> {
  await delay(checkIntervalMs, undefined, { signal })
  const startMs = await page.cpuTimeMs()
  let respondedMs = startMs
  let hasResponded = true
  for (;;) {
    if (hasResponded) {
      hasResponded = false
      // A failure of the browser ends the work itself.
      void page.call('Runtime.evaluate', { expression: '0' }).then(
        () => (hasResponded = true),
        () => undefined,
      )
    }
    await delay(checkIntervalMs, undefined, { signal })
    const nowMs = await page.cpuTimeMs()
    if (hasResponded) respondedMs = nowMs
    if (nowMs - respondedMs > blockedCpuMs || nowMs - startMs > workCpuMs) throw new BrowserFailure('endless')
  }
}

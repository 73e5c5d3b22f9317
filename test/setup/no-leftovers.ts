import { afterAll, vi } from 'vitest'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { configureServices, configuredService } from '../../src/engines/services/configured.ts'
import { serviceKinds } from '../../src/engines/services/services.ts'
import { setSearchPath } from '../../src/platform/environment.ts'

// The files of a process run one after the other. Each starts with no packs and with the same programs, whatever the
// previous one has configured, and fails if it leaves behind anything else that the next one would find.
configurePacks(undefined)
setSearchPath(process.env['PATH'])
const [folder, environment, listeners] = [process.cwd(), { ...process.env }, countListeners()]

afterAll(() => {
  const leftovers = [
    ...serviceKinds.filter((kind) => configuredService(kind) !== undefined),
    ...(process.cwd() === folder ? [] : [`the working folder ${process.cwd()}`]),
    ...changedNames(environment, process.env).map((name) => `the variable ${name}`),
    ...changedNames(listeners, countListeners()).map((event) => `a listener of the process for ${event}`),
    ...(vi.isFakeTimers() ? ['fake timers'] : []),
  ]
  restore()
  if (leftovers.length > 0) throw new Error(`left behind at the end of the file: ${leftovers.join(', ')}`)
})

function restore(): void {
  configureServices({})
  process.chdir(folder)
  for (const name of changedNames(environment, process.env)) {
    const before = environment[name]
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
  vi.useRealTimers()
  vi.restoreAllMocks()
}

/** Number of listeners for signals and for messages of the parent process. */
function countListeners(): Record<string, number> {
  const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect']
  return Object.fromEntries(events.map((event) => [event, process.listenerCount(event)]))
}

/** Names whose values differ. */
function changedNames<V>(one: Readonly<Record<string, V>>, other: Readonly<Record<string, V>>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => one[name] !== other[name],
  )
}

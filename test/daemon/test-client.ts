// A process that finds or starts a test daemon and prints what it found, with the time it took.
import { findOrStartDaemon } from '../../src/daemon/find-or-start.ts'
import type { TestDaemonOptions } from './test-daemon.ts'

const options = JSON.parse(process.argv[2] ?? '') as TestDaemonOptions
const { dataDir, version } = options
const command = [
  process.execPath,
  new URL('test-daemon.ts', import.meta.url).pathname,
  JSON.stringify(options),
]
const found = await findOrStartDaemon({ dataDir, version, command, environment: process.env })
process.stdout.write(JSON.stringify({ ...found, ms: performance.now() }))

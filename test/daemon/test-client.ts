// A process that finds or starts a test daemon, and prints its address and the elapsed time.
import { join } from 'node:path'
import { initializeProcess } from '../service/initialize-process.ts'
import type { TestDaemonOptions } from './test-daemon.ts'

initializeProcess()
const { findOrStartDaemon } = await import('../../src/daemon/find-or-start.ts')
const options = JSON.parse(process.argv[2] ?? '') as TestDaemonOptions
const { dataDir, version } = options
const daemonModule = join(import.meta.dirname, 'test-daemon.ts')
const command = [process.execPath, daemonModule, JSON.stringify(options)]
const address = await findOrStartDaemon({ dataDir, version, command, environment: process.env })
process.stdout.write(JSON.stringify({ ...address, ms: performance.now() }))

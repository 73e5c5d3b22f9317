import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

const nanoseconds = 1e-9
const microseconds = 1e-6

/** Metrics of this process under the names that ready-made dashboards for Node know; disposing ends the measuring. */
export function registerProcessMetrics(metrics: Metrics): Disposable {
  const delay = monitorEventLoopDelay()
  delay.enable()
  const { versions } = process
  const started = Math.round(Date.now() / 1000 - process.uptime())
  metrics.read({ name: 'nodejs_version_info', help: 'Version of Node.' }, () => [
    { labels: { version: `v${versions.node}` }, value: 1 },
  ])
  metrics.read(
    { name: 'process_start_time_seconds', help: 'Start of the process, seconds since 1970.' },
    () => [{ value: started }],
  )
  metrics.read(
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time of the service itself, without workers.',
      type: 'counter',
    },
    () => {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) * microseconds }]
    },
  )
  metrics.read({ name: 'process_resident_memory_bytes', help: 'Memory of the service itself.' }, () => [
    { value: process.memoryUsage.rss() },
  ])
  metrics.read({ name: 'nodejs_heap_size_used_bytes', help: 'JavaScript heap in use.' }, () => [
    { value: process.memoryUsage().heapUsed },
  ])
  metrics.read(
    {
      name: 'nodejs_eventloop_lag_p99_seconds',
      help: 'Event loop delay since the scrape before, 99th percentile.',
    },
    () => {
      const lag = delay.percentile(99) * nanoseconds
      delay.reset()
      return [{ value: lag }]
    },
  )
  return { [Symbol.dispose]: () => void delay.disable() }
}

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Media type of the text format. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

interface MetricDescription {
  /** Name by Prometheus's conventions, with its unit. */
  readonly name: string
  readonly help: string
}

/** Label values come from small fixed sets, never from ids or callers. Always given in the same order. */
type Labels<Label extends string> = Readonly<Record<Label, string>>

/** Counts events since the start of the process. */
export interface Counter<Label extends string> {
  add(labels: Labels<Label>, amount?: number): void
}

/** Counts measurements by size. */
export interface Histogram<Label extends string> {
  observe(labels: Labels<Label>, value: number): void
}

/** A value read at the time of a scrape. */
export interface MetricReading {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

interface MetricFamily extends MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram'
  lines(): string[] | Promise<string[]>
}

/** Metrics of a service, in Prometheus's text format (exposition formats, version 0.0.4). */
export class Metrics {
  readonly #families: MetricFamily[] = []

  counter<Label extends string = never>({ name, help }: MetricDescription): Counter<Label> {
    const values = new Map<string, number>()
    const lines = (): string[] => Array.from(values, ([labels, value]) => formatSample(name, labels, value))
    this.#families.push({ name, help, type: 'counter', lines })
    return {
      add(labels, amount = 1) {
        const key = formatLabels(labels)
        values.set(key, (values.get(key) ?? 0) + amount)
      },
    }
  }

  /** buckets: upper bounds, ascending. */
  histogram<Label extends string = never>(
    { name, help }: MetricDescription,
    buckets: readonly number[],
  ): Histogram<Label> {
    const series = new Map<string, Distribution>()
    const lines = (): string[] =>
      Array.from(series, ([labels, distribution]) => distribution.lines(name, labels)).flat()
    this.#families.push({ name, help, type: 'histogram', lines })
    return {
      observe(labels, value) {
        const key = formatLabels(labels)
        const distribution = series.get(key) ?? new Distribution(buckets)
        series.set(key, distribution)
        distribution.observe(value)
      },
    }
  }

  /** Registers values that are read at each scrape; type `counter` if they only grow. */
  read(
    { name, help, type = 'gauge' }: MetricDescription & { readonly type?: 'gauge' | 'counter' },
    readings: () => readonly MetricReading[] | Promise<readonly MetricReading[]>,
  ): void {
    const lines = async (): Promise<string[]> =>
      (await readings()).map(({ labels = {}, value }) => formatSample(name, formatLabels(labels), value))
    this.#families.push({ name, help, type, lines })
  }

  /** Formats the current values of all metrics. */
  async text(): Promise<string> {
    const parts = await Promise.all(
      this.#families.map(async ({ name, help, type, lines }) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())].join('\n'),
      ),
    )
    return `${parts.join('\n')}\n`
  }
}

class Distribution {
  readonly #buckets: readonly number[]
  /** Count per bucket, not cumulative; the last is for values above all bounds. */
  readonly #counts: number[]
  #sum = 0

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets
    this.#counts = Array.from({ length: buckets.length + 1 }, () => 0)
  }

  observe(value: number): void {
    const found = this.#buckets.findIndex((bound) => value <= bound)
    const index = found < 0 ? this.#buckets.length : found
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#sum += value
  }

  lines(name: string, labels: string): string[] {
    let count = 0
    const buckets = this.#counts.map((own, index) => {
      count += own
      const bound = `le="${formatNumber(this.#buckets[index] ?? Infinity)}"`
      return formatSample(`${name}_bucket`, labels === '' ? bound : `${labels},${bound}`, count)
    })
    return [
      ...buckets,
      formatSample(`${name}_sum`, labels, this.#sum),
      formatSample(`${name}_count`, labels, count),
    ]
  }
}

function formatSample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

function escapeLabel(value: string): string {
  return value.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
}

function formatNumber(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

const nanoseconds = 1e-9
const microseconds = 1e-6

/** Registers metrics of this process under the names that common Node dashboards use; disposal stops measuring. */
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

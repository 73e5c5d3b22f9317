/** One series of a scrape. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Result of a scrape, by metric name. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  readonly series: readonly Series[]
  /** Sum of the series of a name that have these labels; 0 for none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number
}

const seriesLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([-+.\w]+)$/
const labelPair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/**
 * Reads Prometheus's text format strictly: every metric has one HELP and one TYPE before its series,
 * no series is repeated, histograms are cumulative and end with +Inf. Throws at the first
 * invalid line.
 */
export function readExposition(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const series = new Map<string, Series>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', argument = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (helps.has(name)) throw new Error(`HELP twice: ${line}`)
      helps.add(name)
      current = name
    } else if (kind === 'TYPE') {
      if (types.has(name) || name !== current || !/^(counter|gauge|histogram)$/.test(argument))
        throw new Error(line)
      types.set(name, argument)
    } else {
      const read = readSeries(line)
      const suffix = types.get(current) === 'histogram' ? /^_(bucket|sum|count)$/ : /^$/
      if (!read.name.startsWith(current) || !suffix.test(read.name.slice(current.length)))
        throw new Error(line)
      const key =
        read.name +
        JSON.stringify(
          Object.entries(read.labels)
            .map((pair) => pair.join('='))
            .toSorted(),
        )
      if (series.has(key)) throw new Error(`twice: ${line}`)
      series.set(key, read)
    }
  }
  const all = [...series.values()]
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, all)
  return {
    types,
    series: all,
    sum: (name, labels = {}) =>
      all
        .filter(
          (one) =>
            one.name === name && Object.entries(labels).every(([label, of]) => one.labels[label] === of),
        )
        .reduce((total, { value }) => total + value, 0),
  }
}

function readSeries(line: string): Series {
  const [, name, written = '', number = ''] = seriesLine.exec(line) ?? []
  const value = number === '+Inf' ? Infinity : Number(number)
  if (name === undefined || Number.isNaN(value)) throw new Error(`not a series: ${line}`)
  const labels: Record<string, string> = {}
  labelPair.lastIndex = 0
  while (labelPair.lastIndex < written.length) {
    const [, label, text = ''] = labelPair.exec(written) ?? []
    if (label === undefined || label in labels) throw new Error(`labels of: ${line}`)
    labels[label] = text.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
  }
  return { name, labels, value }
}

function checkHistogram(name: string, all: readonly Series[]): void {
  const counts = all.filter((one) => one.name === `${name}_count`)
  for (const { labels, value } of counts) {
    const buckets = all.filter(
      (one) =>
        one.name === `${name}_bucket` &&
        Object.entries(labels).every(([label, of]) => one.labels[label] === of),
    )
    const bounds = buckets.map((bucket) =>
      bucket.labels['le'] === '+Inf' ? Infinity : Number(bucket.labels['le']),
    )
    const ascends = (values: readonly number[]): boolean =>
      values.every((one, index) => index === 0 || one >= (values[index - 1] ?? 0))
    if (!ascends(bounds) || !ascends(buckets.map((bucket) => bucket.value)))
      throw new Error(`${name} does not ascend`)
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== value)
      throw new Error(`${name} does not end with +Inf`)
  }
}

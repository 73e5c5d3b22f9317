const sizeUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats a number of bytes, such as `1.5 GiB`. */
export function describeSize(bytes: number): string {
  const power = Math.min(sizeUnits.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)))
  const value = power === 0 ? String(bytes) : (bytes / 2 ** (10 * power)).toFixed(1).replace('.0', '')
  return bytes === 1 ? '1 byte' : `${value} ${sizeUnits[power]}`
}

/** Formats what a first use downloads: `after a download of 2.3 MiB (text-detection)`. */
export function describeFirstDownload({
  packs,
  bytes,
}: {
  readonly packs: readonly string[]
  readonly bytes: number
}): string {
  return `after a download of ${describeSize(bytes)} (${packs.join(', ')})`
}

/** Joins the first `max` items; where there are more, appends their number: `a; b; and 3 more`. */
export function summarizeList(items: readonly string[], max: number, separator = '; '): string {
  const more = items.length - max
  return [...items.slice(0, max), ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

const sizeUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A number of bytes for people: `1.5 GiB`. */
export function describeSize(bytes: number): string {
  const power = Math.min(sizeUnits.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)))
  const value = power === 0 ? String(bytes) : (bytes / 2 ** (10 * power)).toFixed(1).replace('.0', '')
  return bytes === 1 ? '1 byte' : `${value} ${sizeUnits[power]}`
}

/** Joins what is told: of many the first, and how many more there are. */
export function summarizeList(told: readonly string[], most: number, separator = '; '): string {
  const more = told.length - most
  return [...told.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

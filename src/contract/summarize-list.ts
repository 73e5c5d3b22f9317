/** Joins what is told: of many the first, and how many more there are. */
export function summarizeList(told: readonly string[], most: number, separator = '; '): string {
  const more = told.length - most
  return [...told.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

/** What an operation costs; prices are whole credits. */
export type Price =
  | { readonly unit: 'minute'; readonly credits: number; readonly of: string }
  | { readonly unit: 'item'; readonly credits: number; readonly of: string }
  /** For 1000 letters of a text, counted as Unicode code points. */
  | { readonly unit: 'thousand letters'; readonly credits: number; readonly of: string }

const millisecondsPerMinute = 60_000

/**
 * Credits for a price and an amount: milliseconds for minutes (a started minute counts), a count for items and
 * letters (a started credit counts). At least what one costs; for letters one credit.
 */
export function creditsFor(price: Price, amount: number): number {
  if (price.unit === 'thousand letters') return Math.max(1, Math.ceil((price.credits * amount) / 1000))
  const units = price.unit === 'minute' ? Math.ceil(amount / millisecondsPerMinute) : Math.ceil(amount)
  return price.credits * Math.max(1, units)
}

/** A number of credits in words. */
export function describeCredits(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** A price in words, as tools and documents show it. */
export function describePrice(price: Price): string {
  const credits = describeCredits(price.credits)
  const units = { minute: 'started minute of ', item: '', 'thousand letters': '1000 characters of ' } as const
  const least = price.unit === 'thousand letters' ? ', at least 1' : ''
  return `${credits} per ${units[price.unit]}${price.of}${least}`
}

/** What an operation costs; prices are whole credits. */
export type Price =
  | { readonly unit: 'minute'; readonly credits: number; readonly of: string }
  | { readonly unit: 'item'; readonly credits: number; readonly of: string }

const millisecondsPerMinute = 60_000

/** Credits for a price and an amount: milliseconds for minutes (a started minute counts), a count for items. */
export function creditsFor(price: Price, amount: number): number {
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
  return price.unit === 'minute'
    ? `${credits} per started minute of ${price.of}`
    : `${credits} per ${price.of}`
}

/** Price of an operation, credits per unit; whole ones, except per settled item. */
export type Price =
  | { readonly unit: 'minute'; readonly credits: number; readonly of: string }
  /** Per minute, in proportion to the milliseconds. */
  | { readonly unit: 'exact minute'; readonly credits: number; readonly of: string }
  | { readonly unit: 'item'; readonly credits: number; readonly of: string }
  /** A share of a credit per item, settled for all items together. */
  | { readonly unit: 'settled item'; readonly credits: number; readonly of: string }
  /** Per 1000 characters of a text, counted as Unicode code points. */
  | { readonly unit: 'thousand letters'; readonly credits: number; readonly of: string }

const millisecondsPerMinute = 60_000

/**
 * Credits for an amount: milliseconds for prices per minute (started minutes count in full, exact ones in proportion), a
 * number of items or of characters; fractions of a credit are rounded up. At least the price of one unit; for characters
 * and exact minutes at least 1 credit. Settled items are rounded half up, at least 1 credit; none are free.
 */
export function creditsFor(price: Price, amount: number): number {
  if (price.unit === 'thousand letters') return Math.max(1, Math.ceil((price.credits * amount) / 1000))
  if (price.unit === 'exact minute')
    return Math.max(1, Math.ceil((price.credits * amount) / millisecondsPerMinute))
  if (price.unit === 'settled item') return amount === 0 ? 0 : Math.max(1, Math.round(price.credits * amount))
  const units = price.unit === 'minute' ? Math.ceil(amount / millisecondsPerMinute) : Math.ceil(amount)
  return price.credits * Math.max(1, units)
}

/** Formats credits, such as `1 credit`. */
export function describeCredits(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** Formats a price for tools and documents. */
export function describePrice(price: Price): string {
  const credits = describeCredits(price.credits)
  const units = {
    ...{ minute: 'started minute of ', 'exact minute': 'minute of ', item: '' },
    ...{ 'settled item': '', 'thousand letters': '1000 characters of ' },
  } as const
  const least = price.unit === 'minute' || price.unit === 'item' ? '' : ', at least 1'
  return `${credits} per ${units[price.unit]}${price.of}${least}`
}

/**
 * Returns the index of the first item that meets a condition, or the number of items, by binary search. All items after one
 * that meets the condition must meet it too.
 */
export function firstIndex<T>(items: readonly T[], meets: (item: T) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && !meets(item)) low = middle + 1
    else high = middle
  }
  return low
}

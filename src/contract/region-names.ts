import * as z from 'zod'

/** How a place in a list is told: by its index, and by what pictures call the region. */
export function regionPathFormatter(given: unknown): (path: readonly PropertyKey[]) => string {
  return (path) => {
    const place = z.core.toDotPath(path)
    const [holder, index] = path
    if (typeof index !== 'number') return place
    const isKept = holder === 'protect_regions'
    const name = regionId(property(property(given, holder), index))
    return `${place} (${regionLabel(name, { index, isKept, isTaken: isKept && isRemoved(given, name) })})`
  }
}

function isRemoved(given: unknown, name: unknown): boolean {
  const regions = property(given, 'regions')
  return Array.isArray(regions) && regions.some((one) => regionId(one) === name)
}

function regionId(entry: unknown): unknown {
  return property(entry, 'id')
}

function property(holder: unknown, key: PropertyKey | undefined): unknown {
  if (typeof holder !== 'object' || holder === null || key === undefined) return undefined
  return (holder as Record<PropertyKey, unknown>)[key]
}

/** Longest id that is told, characters. */
const maxLabelLength = 24

/** What looks like the number of a region, and what breaks lines, is not seen or turns the direction of text. */
const unusableLabel = /^(keep)?#|^\s*$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface RegionPosition {
  readonly index: number
  readonly isKept: boolean
  /** Whether another region has the same id: each list has ids of its own. */
  readonly isTaken?: boolean
}

/** What a region is called: its id where that is short and plain and no other's, else its number in its list. */
export function regionLabel(given: unknown, { index, isKept, isTaken = false }: RegionPosition): string {
  const isName =
    typeof given === 'string' && given.length <= maxLabelLength && !unusableLabel.test(given) && !isTaken
  return isName ? given : `${isKept ? 'keep' : ''}#${index + 1}`
}

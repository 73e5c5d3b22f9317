import * as z from 'zod'
import { MediaError } from './errors.ts'
import { id } from './id.ts'
import { describeIssues } from './issues.ts'
import { inPlainWords } from './plain-issues.ts'
import { maxRegions, region, repeatedIds } from './regions.ts'

/** Most bytes of a file of regions that are read: as many as a request may have. */
export const maxRegionsBytes = 32 * 2 ** 20

const listed = region.safeExtend({ score: z.number().min(0).max(1).optional() })

/** Counted before each is looked at: a file may hold millions. */
const list = z
  .array(z.unknown())
  .max(maxRegions)
  .pipe(z.array(listed))
  .superRefine((regions, context) => {
    for (const index of repeatedIds(regions)) {
      const message = `${JSON.stringify(regions[index]?.id)} is there twice`
      context.addIssue({ code: 'custom', path: [index, 'id'], message })
    }
  })

/** A detection result (contract 2, 2.2), or a list by hand, which may be of no video. */
const regionsFile = z.object({
  version: z.literal(1).nullish(),
  source: z.object({ file_id: id }).nullish(),
  regions: list,
  // Ours: what an agent who edits the list wants to keep.
  protect_regions: list.nullish().transform((given) => given ?? []),
})

/** One region of a file, removed or protected. */
export type ListedRegion = z.output<typeof listed>
export type RegionsFile = z.output<typeof regionsFile>

const logo = { id: 'logo', x: 0.8, y: 0.05, w: 0.15, h: 0.1 }

/** A list by hand: all that it needs to be drawn or, with the id of its video, to clean that by it. */
export function exampleOfList(treated?: string): string {
  if (treated === undefined) return JSON.stringify({ regions: [logo] })
  const regions = [{ ...logo, source: 'manual', start: 0, end: 60 }]
  return JSON.stringify({ version: 1, source: { file_id: treated }, regions })
}

/** Throws 6016 for a file of regions that is larger than one is read. */
export function checkRegionsSize({ name, size }: { readonly name: string; readonly size: number }): void {
  if (size <= maxRegionsBytes) return
  throw new MediaError(6016, `${name} is larger than ${maxRegionsBytes / 2 ** 20} MiB`, {
    hint: 'Leave regions out of the list that are not to be treated.',
  })
}

/** Reads a detection result, edited or not, or a list made by hand. Throws 6016, naming what is wrong and the form. */
export function readRegions(name: string, text: string, example: string = exampleOfList()): RegionsFile {
  const given = readJson(name, text)
  const read = regionsFile.safeParse(given, { error: inPlainWords })
  if (read.success) return read.data
  const told = describeIssues(read.error, 'the file', placesIn(given))
  throw new MediaError(6016, `${name} is no list of regions: ${told}`, {
    hint: `Give the JSON file that detection answered, edited or not, or one such as ${example}.`,
  })
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new MediaError(6016, `${name} is no JSON: ${why}`, {
      cause,
      hint: 'Correct it there, and give it again.',
    })
  }
}

/** How a place in a list is told: by its index, and by what pictures call the region. */
export function placesIn(given: unknown): (path: readonly PropertyKey[]) => string {
  return (path) => {
    const place = z.core.toDotPath(path)
    const [holder, index] = path
    if (typeof index !== 'number') return place
    const entry = inside(inside(given, holder), index)
    return `${place} (${nameOfRegion(inside(entry, 'id'), { index, isKept: holder === 'protect_regions' })})`
  }
}

function inside(holder: unknown, key: PropertyKey | undefined): unknown {
  if (typeof holder !== 'object' || holder === null || key === undefined) return undefined
  return (holder as Record<PropertyKey, unknown>)[key]
}

/** Longest id that is told, characters. */
const longestId = 24

/** What a region is called: its id where that is short and looks like no number of another, else its number in its list. */
export function nameOfRegion(
  given: unknown,
  { index, isKept }: { readonly index: number; readonly isKept: boolean },
): string {
  const isName =
    typeof given === 'string' && given.trim() !== '' && given.length <= longestId && !/^(keep)?#/.test(given)
  return isName ? given : `${isKept ? 'keep' : ''}#${index + 1}`
}

import type { FileKind } from '../../contract/file-kind.ts'
import type { ShownRegions } from '../../contract/file-routes.ts'
import { maxSheetFrames } from '../../contract/regions.ts'
import { exampleRegionsFile } from '../../contract/regions-file.ts'

/** The file that regions are drawn over. */
interface RegionsTarget {
  readonly file_id: string
  readonly kind: FileKind | undefined
}

/** What a picture of regions shows, with notes on a list that does not fit the file, and on empty frames. */
export function describeRegions(
  shown: ShownRegions,
  over: RegionsTarget,
  empty: readonly number[],
): Record<string, unknown> {
  const { source_file_id: _, ...told } = shown
  const notes: string[] = []
  if (isForOtherFile(shown, over)) {
    notes.push(
      'These regions were found in another file: right for a result that was cleaned by them, wrong for another video.',
    )
  }
  if (hasUnshownRegions(shown)) {
    notes.push('What is not shown lies after the end of the video, or between two frames: correct its times.')
  }
  if (empty.length > 0) {
    const at = empty.flatMap((place) => shown.frames[place]?.seconds ?? [])
    notes.push(
      `Nothing is shown at ${at.map((seconds) => `${seconds} s`).join(', ')}: no frame was decoded there in ` +
        `time, or it is damaged. Ask again with at: [${at.join(', ')}]; what is empty then cannot be shown.`,
    )
  }
  return { ...told, ...(notes.length > 0 && { notes }) }
}

/** What an agent does with regions it has seen. */
export function regionsNextStep(shown: ShownRegions, over: RegionsTarget): string {
  const { next_at, regions, protect_regions } = shown
  const some = next_at.length > maxSheetFrames ? `, ${maxSheetFrames} at a time` : ''
  const others = next_at.length > 0 ? `For others give at${some}: [${next_at.join(', ')}]. ` : ''
  if (regions + protect_regions === 0) {
    return 'The list is empty: nothing would be treated. Add a region for each thing that is to go, then look again.'
  }
  if (isForOtherFile(shown, over)) {
    return (
      `${others}Where something is left in a box of this result, correct that box in the list, and clean ` +
      `the file it was found in (${shown.source_file_id}) again: the list is refused for this one.`
    )
  }
  if (over.kind === 'image') {
    return (
      `${others}Correct the boxes until they sit right, then call image_purify with purify_scope region and ` +
      'regions: up to 16 boxes in the call, without ids; it takes no list as a file.'
    )
  }
  const sort =
    `${others}Take out of the list what is to stay as it is, or move it to protect_regions where others overlap it; ` +
    'then look again.'
  const clean = 'call video_purify with phase purify and regions_file_id.'
  return shown.source_file_id === undefined
    ? `${sort} To clean by a list of your own, write it as ${exampleRegionsFile(over.file_id)}, and ${clean}`
    : `${sort} To clean by it, ${clean}`
}

function isForOtherFile({ source_file_id }: ShownRegions, { file_id }: RegionsTarget): boolean {
  return source_file_id !== undefined && source_file_id !== file_id
}

function hasUnshownRegions({ not_shown, next_at }: ShownRegions): boolean {
  return not_shown.count > 0 && next_at.length === 0
}

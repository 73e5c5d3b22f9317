import { summarizeList } from '../contract/format.ts'
import type { ImportSummary } from '../library/import-folder.ts'
import type { ListedFolder } from '../library/list-folders.ts'

/** Skipped files that are listed one by one, and sidecars with unknown fields. */
const maxListed = 20

/** Returns the lines that report an import. */
export function describeImport(summary: ImportSummary): string[] {
  const { path, skipped, unknownFields, others, hidden, accompaniments, files, ...counts } = summary
  const { imported, changed, moved, restored, unchanged, missing } = counts
  const numbers = { imported, changed, moved, restored, unchanged, missing, skipped: skipped.length }
  const shown = Object.entries(numbers).filter(([name, count]) => count > 0 || name === 'imported')
  const totals = shown.map(([name, count]) => `${count} ${name}`).join(', ')
  const types = [...others].map(([extension, count]) => `${count} ${extension || 'without extension'}`)
  const misspelt = [...unknownFields].map(
    ([file, names]) => `unknown fields in the sidecar of ${file}: ${summarizeList(names, maxListed, ', ')}`,
  )
  return [
    `${path}: ${files + missing + skipped.length === 0 ? 'no media files found' : totals}`,
    ...describeRights(summary),
    ...limited(
      skipped.map(({ path: file, reason }) => `skipped ${file}: ${reason}`),
      'skipped',
    ),
    ...limited(misspelt, 'sidecars with unknown fields'),
    ...(accompaniments > 0 ? [`accompaniments, which are found with their songs: ${accompaniments}`] : []),
    ...(types.length > 0
      ? [`left out, because they are no media: ${summarizeList(types, maxListed, ', ')}`]
      : []),
    ...(hidden > 0 ? [`left out, because their names begin with a dot: ${hidden}`] : []),
  ]
}

/** Names what the command changed for all materials of a folder that was known. */
function describeRights({ before, licence, attribution }: ImportSummary): string[] {
  if (!before) return []
  return [
    ...(before.licence === licence ? [] : [`licence changed: ${before.licence} → ${licence}`]),
    ...(before.attribution === attribution
      ? []
      : [`attribution changed: ${before.attribution} → ${attribution}`]),
  ]
}

function limited(lines: readonly string[], what: string): string[] {
  const more = lines.length - maxListed
  return [...lines.slice(0, maxListed), ...(more > 0 ? [`and ${more} more ${what}`] : [])]
}

/** What an import had for vectors. */
interface VectorSources {
  readonly hasModel: boolean
  readonly hasSoundModel: boolean
  /** Space of the pictures that have vectors, if any has. */
  readonly pictureSpace: string | undefined
}

/** Returns a line for each kind of material of a folder that is found by its words alone, with the way to change that. */
export function describeMissingVectors(
  { counts, withoutVector }: ListedFolder,
  { refusal }: Pick<ImportSummary, 'refusal'>,
  { hasModel, hasSoundModel, pictureSpace }: VectorSources,
): string[] {
  const pictures = withoutVector.clip + withoutVector.image
  const lines: string[] = []
  if (pictures > 0 && (!hasModel || refusal)) {
    const known =
      pictureSpace === undefined ? '' : `The library has vectors of ${pictureSpace}: use that model. `
    lines.push(
      `${refusal?.message ?? 'No embedding model is configured or installed'}. ` +
        `${pictures} of ${counts.clip + counts.image} images and videos have no vector: they are found by their words ` +
        `alone. ${known}To find them by what they show, give this command the setting \`embedding\` ` +
        '(REELWRIGHT_EMBEDDING) of the service, with a model of texts and images, or run ' +
        '`reelwright models pull siglip2-base onnx-runtime`; then add the folder again.',
    )
  }
  if (withoutVector.audio > 0 && !hasSoundModel) {
    lines.push(
      `No sound model is installed. ${withoutVector.audio} of ${counts.audio} sounds have no vector: they are found by ` +
        'their words alone. To find them by English descriptions of what is heard, run ' +
        '`reelwright models pull clap onnx-runtime`, then add the folder again.',
    )
  }
  return lines
}

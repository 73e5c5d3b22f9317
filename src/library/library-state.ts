import type { Capabilities } from '../contract/catalog.ts'
import type { Db } from '../db/schema.ts'
import { addCommand } from './find-in-index.ts'

/** Counts the materials that searches find, and states what is missing to find them, or to find more. */
export async function libraryState(db: Db): Promise<NonNullable<Capabilities['library']>> {
  const [counted, vector] = await Promise.all([
    db
      .selectFrom('materials')
      .select(['scope', (eb) => eb.fn.countAll<number>().as('total')])
      .where('state', '=', 'active')
      .groupBy('scope')
      .execute(),
    db
      .selectFrom('material_vectors')
      .innerJoin('materials', 'materials.id', 'material_id')
      .select('part')
      .where('state', '=', 'active')
      .limit(1)
      .executeTakeFirst(),
  ])
  const counts = { clip: 0, image: 0, audio: 0 }
  for (const { scope, total } of counted) counts[scope] = total
  const isEmpty = counted.length === 0
  const words_only = !isEmpty && vector === undefined
  const wordsState = describeWordsState(counts.clip + counts.image > 0 ? 'siglip2-base' : 'clap')
  return { ...counts, words_only, missing: isEmpty ? emptyState : words_only ? wordsState : null }
}

const emptyState = `the library is empty. Fix: Add licensed material: ${addCommand}`

/** pack: of a model for the materials. */
function describeWordsState(pack: 'siglip2-base' | 'clap'): string {
  return (
    `materials are found by their words alone. Fix: Install an embedding model, such as \`reelwright models pull ${pack} ` +
    'onnx-runtime`, then add the folders again'
  )
}

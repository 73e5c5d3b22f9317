import { type Layout, layoutsFor, slotShares } from './layout.ts'

/** Slots beside each other, or one below the other. */
export type Arrangement = 'columns' | 'rows'

/** Returns the layout of equal columns or rows in reading order; undefined if the catalogue has none for the clips. */
export function plainLayout(clips: number, arrangement: Arrangement): Layout | undefined {
  return layoutsFor(clips).find((layout) => {
    const { columns, rows } = countEdges(layout)
    return arrangement === 'columns' ? rows === 1 && columns === clips : columns === 1 && rows === clips
  })
}

/** Returns the arrangement of a layout in a few words, such as `2 columns`, `3 rows` or `2 by 2`. */
export function describeArrangement(layout: Layout): string {
  const { clips } = layout
  const { columns, rows } = countEdges(layout)
  if (rows === 1) return `${clips} columns`
  if (columns === 1) return `${clips} rows`
  return columns * rows === clips ? `${columns} by ${rows}` : `${clips} slots`
}

/** Counts the different left edges and top edges of the slots. */
function countEdges(layout: Layout): { columns: number; rows: number } {
  const slots = slotShares(layout)
  const count = (edges: readonly number[]) => new Set(edges.map((edge) => edge.toFixed(6))).size
  return { columns: count(slots.map(({ x }) => x)), rows: count(slots.map(({ y }) => y)) }
}

import { appendFile, readFile, truncate } from 'node:fs/promises'
import { parseJson } from '../../contract/bounded-json.ts'

/** Finished work of a task, one JSON value per line, that a later attempt reads. */
export interface StoredLines<Item> {
  /** What earlier attempts stored. */
  readonly items: readonly Item[]
  add(item: Item): Promise<void>
}

/**
 * Opens a file of stored lines, up to the first damaged one; it may be missing. What follows is removed, such as a line that
 * was being written when the process ended: the next item is appended to the file.
 */
export async function openStoredLines<Item>(path: string): Promise<StoredLines<Item>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const items: Item[] = []
  let bytes = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const item = parseJson(line)
    if (item === undefined) break
    items.push(item as Item)
    bytes += Buffer.byteLength(line) + 1
  }
  if (text !== '') await truncate(path, bytes)
  return { items, add: (item) => appendFile(path, `${JSON.stringify(item)}\n`) }
}

import { appendFile, readFile, truncate } from 'node:fs/promises'
import { parseJson } from '../../src/contract/bounded-json.ts'

/** Finished work of a task, one JSON value per line, that a later attempt reads. */
export interface StoredLines<Item> {
  /** What earlier attempts stored. */
  readonly items: readonly Item[]
  add(item: Item): Promise<void>
}

/** Opens a file of stored lines; it may be missing. A last line that was being written when the process ended is removed. */
export async function openStoredLines<Item>(path: string): Promise<StoredLines<Item>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole))
  const lines = whole.split('\n').slice(0, -1)
  return {
    items: lines.map((line) => parseJson(line) as Item),
    add: (item) => appendFile(path, `${JSON.stringify(item)}\n`),
  }
}

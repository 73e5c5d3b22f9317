import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Version of this package. */
export async function packageVersion(): Promise<string> {
  const path = join(import.meta.dirname, '..', '..', 'package.json')
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  return String((manifest as { version: unknown }).version)
}

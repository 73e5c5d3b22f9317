import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pollUntil } from '../service/api.ts'

/** A line of a log. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number
  readonly msg: string
}

/** Lines of a test service's log with these fields. Waits until there are enough. */
export function logged(
  { dataDir }: { dataDir: string },
  fields: Readonly<Record<string, unknown>>,
  atLeast = 1,
): Promise<LogLine[]> {
  const expectedFields = Object.entries(fields)
  return pollUntil(
    async () => {
      const lines = (await readFile(join(dataDir, 'log'), 'utf8')).split('\n').filter(Boolean)
      const parsed = lines.map((line) => JSON.parse(line) as LogLine)
      return parsed.filter((line) => expectedFields.every(([name, value]) => line[name] === value))
    },
    (matching) => matching.length >= atLeast,
  )
}

/** A file among a task's results. */
export interface ResultFile {
  readonly file_id: string
  /** `result`, or the prefix of its field: `midi` for `midi_file_id`. */
  readonly role: string
  /** Seconds, where the result tells. */
  readonly duration?: number
}

/**
 * Finds the files a task made in its output: `file_id` at the top, and each `<role>_file_id` that
 * comes with its `<role>_download_url` or `<role>_file_download_url`. Ids without an address, such as a slot's source,
 * are inputs; an empty one is of a file that was not made.
 */
export function findResultFiles(output: Readonly<Record<string, unknown>>): ResultFile[] {
  const files = new Map<string, ResultFile>()
  for (const [key, id] of Object.entries(output)) {
    const role = /^(?:(\w+)_)?file_id$/.exec(key)
    if (!role || typeof id !== 'string' || id === '') continue
    const prefix = role[1]
    const addresses = [`${prefix}_download_url`, `${prefix}_file_download_url`]
    if (prefix !== undefined && addresses.every((field) => typeof output[field] !== 'string')) continue
    files.set(id, {
      file_id: id,
      role: prefix ?? 'result',
      ...(prefix === undefined && resultDuration(output)),
    })
  }
  for (const nested of nestedObjects(output)) {
    if (typeof nested['download_url'] !== 'string') continue
    for (const file of findResultFiles(nested)) if (!files.has(file.file_id)) files.set(file.file_id, file)
  }
  return [...files.values()]
}

function resultDuration({ duration_ms, duration }: Readonly<Record<string, unknown>>): { duration?: number } {
  if (typeof duration_ms === 'number') return { duration: duration_ms / 1000 }
  return typeof duration === 'number' ? { duration } : {}
}

function nestedObjects(output: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return Object.values(output)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value): value is Record<string, unknown> => typeof value === 'object' && value !== null)
}

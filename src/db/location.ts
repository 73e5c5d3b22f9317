import { MediaError } from '../contract/errors.ts'

/** A SQLite file or a PostgreSQL address. */
export type DatabaseLocation = { readonly path: string } | { readonly url: string }

/** The database as shown to people: its file, or the host and port of its server. Never includes a password. */
export async function describeDatabase(location: DatabaseLocation): Promise<string> {
  if ('path' in location) return `the database ${location.path}`
  const { default: pg } = await import('pg')
  try {
    // pg fills in missing parts from PGHOST and similar variables.
    const { host, port } = new pg.Client(location.url)
    return `PostgreSQL at ${host}:${port}`
  } catch {
    return 'PostgreSQL'
  }
}

/** Error 6401 for a database that cannot be opened, with the cause and a hint. */
export async function databaseUnavailable(location: DatabaseLocation, cause: unknown): Promise<MediaError> {
  return new MediaError(6401, `${await describeDatabase(location)} cannot be used: ${causeMessage(cause)}`, {
    cause,
    retryable: false,
    hint:
      'path' in location
        ? 'Make sure that the file is a readable and writable SQLite database, or restore a backup.'
        : 'Make sure that PostgreSQL is running, that DATABASE_URL has the right host, port, database and user, and that this user may create tables.',
  })
}

/**
 * Message of an error. For an AggregateError, which has no message of its own, joins the messages of its parts (a
 * host name with several addresses fails with one error for each).
 */
export function causeMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(causeMessage).join('; ')
  return error instanceof Error ? error.message : String(error)
}

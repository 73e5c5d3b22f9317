import { MediaError } from '../contract/errors.ts'

/** Where the state lives: a SQLite file, or a PostgreSQL address. */
export type DatabaseLocation = { readonly path: string } | { readonly url: string }

/** How people know a database: its file, or its server's host and port; never with a password. */
export async function describeDatabase(place: DatabaseLocation): Promise<string> {
  if ('path' in place) return `the database ${place.path}`
  const { default: pg } = await import('pg')
  try {
    // As pg reads the address, with PGHOST and the like for what it leaves out.
    const { host, port } = new pg.Client(place.url)
    return `PostgreSQL at ${host}:${port}`
  } catch {
    return 'PostgreSQL'
  }
}

/** 6401 for a database that cannot be opened, with the reason and what to look at. */
export async function databaseUnavailable(place: DatabaseLocation, cause: unknown): Promise<MediaError> {
  return new MediaError(6401, `${await describeDatabase(place)} cannot be used: ${causeMessage(cause)}`, {
    cause,
    retryable: false,
    hint:
      'path' in place
        ? 'See that the file can be read and written and is a database, or bring back a copy of it.'
        : 'See that PostgreSQL runs there, that DATABASE_URL names its host, port, database and user, and that this user may make tables in it.',
  })
}

/** A name with several addresses fails with one error for each, and no message of its own. */
export function causeMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(causeMessage).join('; ')
  return error instanceof Error ? error.message : String(error)
}

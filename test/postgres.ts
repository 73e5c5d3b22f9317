import { inject } from 'vitest'

const newDatabases = inject('newDatabases')

/** Whether PostgreSQL is installed. */
export const hasPostgres = newDatabases !== null

/** Creates an empty database on the PostgreSQL of this run and returns its address. */
export async function newDatabase(): Promise<string> {
  const response = await fetch(newDatabases ?? '')
  const body = await response.text()
  if (!response.ok) throw new Error(body)
  return body
}

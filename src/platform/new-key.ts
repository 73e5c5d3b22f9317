import { randomBytes } from 'node:crypto'

/** A new API key: 32 random bytes behind a prefix that tells what it opens. */
export function newKey(): string {
  return `rw_${randomBytes(32).toString('base64url')}`
}

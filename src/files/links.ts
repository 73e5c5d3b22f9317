import { createHmac, timingSafeEqual } from 'node:crypto'
import { downloadUrl } from '../contract/routes.ts'
import type { Db } from '../db/schema.ts'

/** Query parameters that grant access to one file without a key. */
export interface LinkSignature {
  /** Seconds since 1970. */
  readonly expires: string
  /** HMAC-SHA256 over file id and `expires`, base64url. */
  readonly sign: string
}

/** Returns a download link that is valid until `expires`, seconds since 1970. */
export async function signLink(db: Db, fileId: string, expires: number): Promise<string> {
  const signed = { expires: String(expires), sign: await createSignature(db, fileId, String(expires)) }
  return `${downloadUrl(fileId)}?${new URLSearchParams(signed).toString()}`
}

/** Whether `signLink` created this signature for this file, and it has not expired by `now` (ms since 1970). */
export async function verifyLink(
  db: Db,
  fileId: string,
  { expires, sign, now }: LinkSignature & { readonly now: number },
): Promise<boolean> {
  return isUnexpired(expires, now) && (await verifySignature(db, fileId, { expires, sign }))
}

/** Whether a time of expiry, seconds since 1970 as text, is valid and later than `now`, ms. */
export function isUnexpired(expires: string, now: number): boolean {
  return /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > now
}

/** Whether `createSignature` created a signature of this subject and expiry. */
export async function verifySignature(
  db: Db,
  subject: string,
  { expires, sign }: LinkSignature,
): Promise<boolean> {
  // Compare text: several base64url texts may decode to the same bytes.
  const given = Buffer.from(sign)
  const right = Buffer.from(await createSignature(db, subject, expires))
  return given.length === right.length && timingSafeEqual(given, right)
}

/** Returns the HMAC-SHA256 of what a link opens and when it expires, base64url. */
export async function createSignature(db: Db, subject: string, expires: string): Promise<string> {
  const { secret } = await db.selectFrom('identity').select('secret').executeTakeFirstOrThrow()
  const key = Buffer.from(secret, 'hex')
  // The line break separates the fields unambiguously: an expiry contains none.
  return createHmac('sha256', key).update(`${subject}\n${expires}`).digest('base64url')
}

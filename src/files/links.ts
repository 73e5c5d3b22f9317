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

/** Signs what a link opens and when it expires, base64url. */
export type LinkSigner = (subject: string, expires: string) => string

/** Returns the signer of links, whose secret is in the database. */
export async function openLinkSigner(db: Db): Promise<LinkSigner> {
  const { secret } = await db.selectFrom('identity').select('secret').executeTakeFirstOrThrow()
  const key = Buffer.from(secret, 'hex')
  // The line break separates the fields unambiguously: an expiry contains none.
  return (subject, expires) => createHmac('sha256', key).update(`${subject}\n${expires}`).digest('base64url')
}

/** Returns a download link that is valid until `expires`, seconds since 1970. */
export async function signLink(db: Db, fileId: string, expires: number): Promise<string> {
  const sign = await openLinkSigner(db)
  const signed = { expires: String(expires), sign: sign(fileId, String(expires)) }
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

/** Whether a signature is that of this subject and expiry. */
export async function verifySignature(
  db: Db,
  subject: string,
  { expires, sign }: LinkSignature,
): Promise<boolean> {
  // Compare text: several base64url texts may decode to the same bytes.
  const given = Buffer.from(sign)
  const right = Buffer.from((await openLinkSigner(db))(subject, expires))
  return given.length === right.length && timingSafeEqual(given, right)
}

import { routes } from '../contract/routes.ts'
import type { LinkedFile, Session } from './session.ts'

/** How long the links of results open their files, seconds: a conversation may come back to them the next day. */
export const linkSeconds = 24 * 3600

/** Tells where clients reach the service. */
export type ResolveServiceAddress = () => Promise<string>

/** A stored file with a link that opens it without a key. */
export async function createFileLink(
  { client, files }: Session,
  { file_id, address }: { readonly file_id: string; readonly address: ResolveServiceAddress },
  signal: AbortSignal,
): Promise<Omit<LinkedFile, 'role'>> {
  const params = { file_id }
  const [{ original_name, size }, { url, expires_at }, base] = await Promise.all([
    client.call(routes.fileDetails, { params, signal }),
    client.call(routes.linkFile, { params, body: { expires_in: linkSeconds }, signal }),
    address(),
  ])
  files.remember(file_id, { name: original_name })
  const href = URL.canParse(url) ? url : base.replace(/\/$/, '') + url
  return { file_id, name: original_name, bytes: size, url: href, expires_at }
}

import type { Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { isLoopback } from '../platform/loopback.ts'

/** Keys travel over plain http on this machine only; beyond it a TLS proxy must stand in front. Throws 6016. */
export function checkReach({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): void {
  if (isLoopback(host) || publicUrl !== undefined) return
  throw new MediaError(6016, `on ${host} keys would travel over plain http`, {
    hint: 'Put a TLS proxy in front and name its address: --public-url https://media.example.com. With the proxy on this machine, leave the host at 127.0.0.1.',
  })
}

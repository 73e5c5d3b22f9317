import { MediaError } from '../../contract/errors.ts'
import { rateLimiter, type Acquire } from './rate-limiter.ts'
import {
  type CatalogueVoice,
  serviceInfo,
  serviceKinds,
  type ServiceKind,
  type Services,
} from './services.ts'

/** The clock and waiting that tests replace. */
type RateLimiterClock = Omit<Parameters<typeof rateLimiter>[0], 'perMinute'>

let set: Services = {}
let limiters = new Map<ServiceKind, ReturnType<typeof rateLimiter>>()

/** Sets the services of this process. */
export function configureServices(services: Services, time: RateLimiterClock = {}): void {
  set = services
  limiters = new Map(
    serviceKinds.map((kind) => [
      kind,
      rateLimiter({ perMinute: services[kind]?.requests_per_minute, ...time }),
    ]),
  )
}

/** Waits until the rate limit of a service allows one more request, counting the requests of all workers. */
export const acquire: Acquire = async (kind, signal) => await limiters.get(kind)?.(signal)

/** Returns the voices of the catalogue. */
export function configuredVoices(): readonly CatalogueVoice[] {
  return set.voices ?? []
}

/** Returns a service from the settings; undefined if it is not set. */
export function configuredService<N extends ServiceKind>(kind: N): Services[N] {
  return set[kind]
}

/** Returns a service from the settings. Throws 6401 with the missing setting if it is not set. */
export function requireService<N extends ServiceKind>(kind: N): NonNullable<Services[N]> {
  const service = configuredService(kind)
  if (service !== undefined) return service
  throw new MediaError(6401, `no ${serviceInfo[kind].title.toLowerCase()} is set`, {
    retryable: false,
    hint: `${serviceSettingHint(kind)} ${serviceInfo[kind].setupHint}`,
  })
}

/**
 * Returns the instruction that sets a service. It does not contain the path of the data folder, as remote callers see
 * it.
 */
export function serviceSettingHint(kind: ServiceKind): string {
  const example = `{ "${kind}": "${serviceInfo[kind].example}" }`
  return `Set "${kind}" in reelwright.config.json of the data folder, which \`reelwright doctor\` names, such as ${example}.`
}

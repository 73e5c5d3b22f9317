import { MediaError } from '../../contract/errors.ts'
import { rateLimiter, type Acquire } from './rate-limiter.ts'
import { serviceInfo, serviceKinds, type ServiceKind, type Services } from './services.ts'

/** What tests tell of: time is theirs. */
type RateLimiterClock = Omit<Parameters<typeof rateLimiter>[0], 'perMinute'>

let set: Services = {}
let limiters = new Map<ServiceKind, ReturnType<typeof rateLimiter>>()

/** Tells this process the services that are set. */
export function configureServices(services: Services, time: RateLimiterClock = {}): void {
  set = services
  limiters = new Map(
    serviceKinds.map((need) => [
      need,
      rateLimiter({ perMinute: services[need]?.requests_per_minute, ...time }),
    ]),
  )
}

/** A turn for one more request to a service, whichever of this process's workers sends it. */
export const acquire: Acquire = async (need, signal) => await limiters.get(need)?.(signal)

/** A service that is set; undefined where none is. */
export function configuredService<N extends ServiceKind>(need: N): Services[N] {
  return set[need]
}

/** A service that is set; 6401, with the setting that is missing, where none is. */
export function requireService<N extends ServiceKind>(need: N): NonNullable<Services[N]> {
  const service = configuredService(need)
  if (service !== undefined) return service
  throw new MediaError(6401, `no ${serviceInfo[need].title.toLowerCase()} is set`, {
    retryable: false,
    hint: `${serviceSettingHint(need)} ${serviceInfo[need].setupHint}`,
  })
}

/** The one setting that brings a service; the folder's path is not for callers elsewhere. */
export function serviceSettingHint(need: ServiceKind): string {
  const example = `{ "${need}": "${serviceInfo[need].example}" }`
  return `Set "${need}" in reelwright.config.json of the data folder, which \`reelwright doctor\` names, such as ${example}.`
}

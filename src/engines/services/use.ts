import { MediaError } from '../../contract/errors.ts'
import { aboutServices, type ServiceNeed, type Services } from './services.ts'

let set: Services = {}

/** Tells this process the services that are set. */
export function setServices(services: Services): void {
  set = services
}

/** A service that is set; undefined where none is. */
export function serviceSet<N extends ServiceNeed>(need: N): Services[N] {
  return set[need]
}

/** A service that is set; 6401, with the setting that is missing, where none is. */
export function requireService<N extends ServiceNeed>(need: N): NonNullable<Services[N]> {
  const service = serviceSet(need)
  if (service !== undefined) return service
  throw new MediaError(6401, `no ${aboutServices[need].title.toLowerCase()} is set`, {
    retryable: false,
    hint: `${howToSet(need)} docs/engines.md tells more.`,
  })
}

/** The one setting that brings a service. */
export function howToSet(need: ServiceNeed): string {
  return `Set "${need}" in reelwright.config.json, such as "${aboutServices[need].example}".`
}

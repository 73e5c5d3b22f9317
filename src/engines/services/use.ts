import { MediaError } from '../../contract/errors.ts'
import { pacer, type TakeTurn } from './pace.ts'
import { aboutServices, serviceNeeds, type ServiceNeed, type Services } from './services.ts'

/** What tests tell of: time is theirs. */
type TimeOfTurns = Omit<Parameters<typeof pacer>[0], 'perMinute'>

let set: Services = {}
let pacers = new Map<ServiceNeed, ReturnType<typeof pacer>>()

/** Tells this process the services that are set. */
export function setServices(services: Services, time: TimeOfTurns = {}): void {
  set = services
  pacers = new Map(
    serviceNeeds.map((need) => [need, pacer({ perMinute: services[need]?.requests_per_minute, ...time })]),
  )
}

/** A turn for one more request to a service, whichever of this process's workers sends it. */
export const takeTurn: TakeTurn = async (need, signal) => await pacers.get(need)?.(signal)

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
    hint: `${howToSet(need)} ${aboutServices[need].takes}`,
  })
}

/** The one setting that brings a service; the folder's path is not for callers elsewhere. */
export function howToSet(need: ServiceNeed): string {
  const example = `{ "${need}": "${aboutServices[need].example}" }`
  return `Set "${need}" in reelwright.config.json of the data folder, which \`reelwright doctor\` names, such as ${example}.`
}

import * as z from 'zod'
import type { Capabilities } from '../../contract/catalog.ts'
import { MediaError } from '../../contract/errors.ts'
import { routes } from '../../contract/routes.ts'
import { describeError } from '../reply.ts'
import { leavesOutFixes, summarizeService } from '../service-summary.ts'
import type { TextLimits } from '../summary.ts'
import { defineTool } from '../tool.ts'

/** Reports what is ready, what is missing, and which folders may be used. */
export const serviceStatusTool = defineTool(
  {
    name: 'service_status',
    title: 'Service status',
    description:
      'Reports what is ready, what is missing and how to install it, credits, and the folders that may be used.',
    input: z.object({
      details: z.boolean().default(false).describe('Also prices, limits, storage, models, services'),
    }),
    example: {},
    errors: [],
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { details }, call) => {
    const place = await session.delivery.statusFields()
    const fields = {
      version: session.version,
      ...(details ? place : shortenLists(place)),
      https_addresses_taken: session.allowUrls,
    }
    try {
      const service = await session.client.call(routes.capabilities, {
        signal: call.signal,
        offersAnswers: session.offersAnswers,
      })
      const facts = { ...fields, reachable: true }
      return details
        ? { data: { ...facts, service }, textLimits: unlimited }
        : { data: shortStatus(facts, service) }
    } catch (error) {
      // If the service is unreachable, the folders and the reason help most.
      if (!(error instanceof MediaError)) throw error
      return { data: { ...fields, reachable: false, error: describeError(error) } }
    }
  },
)

/** Requested details are shown whole. */
const unlimited: TextLimits = { value: Infinity, items: Infinity, total: Infinity }

/** Longest short status, in characters as JSON; its text is shorter. */
const maxShortLength = 1490

const detailsStep =
  'For prices, limits, models, external services and what the library is missing, call service_status with details true.'

type Facts = Readonly<Record<string, unknown>>

/**
 * Status in which what is not ready has the room that the rest leaves. Where a fix would not fit, downloads are not
 * named, and then private folders are counted only: neither needs an action.
 */
function shortStatus(facts: Facts, service: Capabilities) {
  const whole = fitService(facts, service)
  if (!leavesOutFixes(whole.service)) return whole
  const shorter = fitService(facts, service, { nameDownloads: false })
  return leavesOutFixes(shorter.service)
    ? fitService(countPrivateFolders(facts), service, { nameDownloads: false })
    : shorter
}

function fitService(facts: Facts, service: Capabilities, options: { readonly nameDownloads?: boolean } = {}) {
  const withRoom = (room: number) => ({
    ...facts,
    service: summarizeService(service, { ...options, room }),
    next_step: detailsStep,
  })
  const data = withRoom(0)
  const { not_ready: blocked = [] } = data.service
  const rest = JSON.stringify(data).length - JSON.stringify(blocked).length
  return withRoom(maxShortLength - rest)
}

/** Replaces the list of private folders by their number. */
function countPrivateFolders({
  private_folders: folders,
  private_folders_left_out: more,
  ...rest
}: Facts): Facts {
  if (!Array.isArray(folders)) return rest
  return { ...rest, private_folders_left_out: folders.length + (typeof more === 'number' ? more : 0) }
}

/** Longest list of folders in a short status, in characters as JSON. */
const maxListLength = 220

/** Shortens the lists of folders; the number of those left out follows. */
function shortenLists(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shortened: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const count = Array.isArray(value) ? fittingCount(value) : 0
    const isLong = Array.isArray(value) && count < value.length
    shortened[name] = isLong ? value.slice(0, count) : value
    if (isLong) shortened[`${name}_left_out`] = value.length - count
  }
  return shortened
}

/** Number of items that fit into a short list, at least one. */
function fittingCount(items: readonly unknown[]): number {
  let length = 0
  const excess = items.findIndex((item) => (length += JSON.stringify(item).length) > maxListLength)
  return excess < 0 ? items.length : Math.max(1, excess)
}

import * as z from 'zod'
import type { AgentFile, AgentForm, AgentRequest } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { summarizeList } from '../../src/contract/format.ts'
import { type ListedRegion, maxRegions, parseRegionsFile } from '../../src/contract/regions.ts'

/** Most ids that an error lists. */
const maxIdsListed = 20

const ids = z.array(z.string().min(1).max(200)).min(1).max(maxRegions)

const choiceFields = {
  remove_ids: ids.optional().describe('Ids in regions_file_id to remove; all others stay'),
  keep_ids: ids.optional().describe('Or the ids to keep'),
}

type Arguments = Readonly<Record<string, unknown>>

/** Tool of video_purify: regions of a list may be chosen by id. fields: those of the contract. */
export function purifyAgentForm(fields: z.ZodObject): AgentForm {
  return {
    input: fields.extend(choiceFields),
    own: Object.keys(choiceFields),
    neededFiles: (args) =>
      readChoice(args) && typeof args['regions_file_id'] === 'string' ? [args['regions_file_id']] : [],
    checkForm: checkChoice,
    toRequest: chooseRegions,
  }
}

interface RegionChoice {
  readonly field: 'keep_ids' | 'remove_ids'
  readonly ids: readonly string[]
}

/** The ids that the arguments name. Lists that some clients send empty count as absent. */
function readChoice(args: Arguments): RegionChoice | undefined {
  for (const field of ['remove_ids', 'keep_ids'] as const) {
    const named = args[field]
    if (Array.isArray(named) && named.length > 0) return { field, ids: named as string[] }
  }
  return undefined
}

/** Throws 6016 for ids in both fields, without a list, or beside regions. */
function checkChoice(args: Arguments): void {
  const choice = readChoice(args)
  if (!choice) return
  if (args['keep_ids'] !== undefined && args['remove_ids'] !== undefined) {
    throw new MediaError(6016, 'keep_ids: cannot be combined with remove_ids', {
      hint: 'Give the ids to remove, or the ids to keep.',
    })
  }
  if (typeof args['regions_file_id'] !== 'string' || args['regions'] !== undefined) {
    throw missingListError(choice)
  }
}

function missingListError({ field }: RegionChoice): MediaError {
  return new MediaError(6016, `${field}: requires regions_file_id, and no regions`, {
    hint: 'Add the list that phase detect returned as regions_file_id.',
  })
}

/**
 * Replaces a list file and ids, which `checkChoice` accepts, by the chosen regions. Regions to keep are protected, as others may overlap them. Throws
 * 6016 for ids that the list does not contain.
 */
function chooseRegions(args: Arguments, files: ReadonlyMap<string, AgentFile>): AgentRequest {
  const { keep_ids: _keep, remove_ids: _remove, regions_file_id, ...others } = args
  const choice = readChoice(args)
  if (!choice)
    return { request: { ...others, ...(regions_file_id !== undefined && { regions_file_id }) }, assumed: [] }
  const file = typeof regions_file_id === 'string' ? files.get(regions_file_id) : undefined
  if (file?.text === undefined) throw missingListError(choice)
  const list = parseRegionsFile(`regions_file_id: ${file.name}`, file.text)
  const { chosen, rest } = divide(list.regions, choice, file.name)
  const [removed, kept] = choice.field === 'remove_ids' ? [chosen, []] : [rest, chosen]
  const isPhaseAssumed = others['phase'] === undefined
  return {
    request: {
      ...others,
      phase: others['phase'] ?? 'purify',
      regions: removed.map(requestRegion),
      protect_regions: [
        ...givenRegions(others['protect_regions']),
        ...[...list.protect_regions, ...kept].map(requestRegion),
      ],
      ...(list.source && { source_file_id: list.source.file_id }),
    },
    assumed: [
      ...(isPhaseAssumed ? ['phase is purify, as regions are chosen by id.'] : []),
      `${removed.length} of the ${list.regions.length} regions in ${file.name} are removed.`,
    ],
  }
}

function givenRegions(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function divide(regions: readonly ListedRegion[], { field, ids: named }: RegionChoice, name: string) {
  const known = new Set(regions.flatMap(({ id }) => (id === undefined ? [] : [id])))
  const unknown = named.filter((one) => !known.has(one))
  if (unknown.length > 0) {
    const list =
      known.size === 0
        ? 'no ids'
        : summarizeList(
            [...known].map((one) => JSON.stringify(one)),
            maxIdsListed,
          )
    throw new MediaError(
      6016,
      `${field}: ${name} has no region ${unknown
        .map((one) => JSON.stringify(one))
        .slice(0, maxIdsListed)
        .join(', ')}`,
      {
        hint: `Use ids of the list. It contains ${list}.`,
      },
    )
  }
  const wanted = new Set(named)
  const isChosen = ({ id }: ListedRegion): boolean => id !== undefined && wanted.has(id)
  return { chosen: regions.filter(isChosen), rest: regions.filter((one) => !isChosen(one)) }
}

/** A region of a list as a request takes it, without its score. */
function requestRegion(listed: ListedRegion): Omit<ListedRegion, 'score'> {
  const { score: _, ...region } = listed
  return region
}

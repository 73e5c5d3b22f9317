import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { list } from '../../src/contract/bounded-list.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'
import { area, exampleRegionsFile, maxRegions, region, findDuplicateIds } from '../../src/contract/regions.ts'
import { purifyAgentForm } from './agent-form.ts'

/** Limit of regions to search; each detected text is compared with all of them. */
const maxRois = 256

const requestFields = z.object({
  file_id: fileRef({ kinds: ['video'], describe: 'Video to clean' }),
  phase: agentField(z.enum(['detect', 'purify']), {
    names: { detection: 'detect', find: 'detect', clean: 'purify', remove: 'purify' },
  })
    .optional()
    .describe('detect: list text; purify: treat a list; unset: both at once'),
  purify_scope: agentField(z.enum(['full_screen', 'subtitle', 'custom', 'region']), {
    names: { all: 'full_screen', full: 'full_screen', text: 'full_screen', box: 'region', boxes: 'region' },
  })
    .default('full_screen')
    .describe(
      'Without phase. full_screen: all text; subtitle: only subtitles; custom: text inside rois; region: everything inside regions',
    ),
  rois: agentField(list(region).max(maxRois), { isBrief: true })
    .optional()
    .describe('For custom: areas like regions'),
  regions: list(region)
    .max(maxRegions)
    .optional()
    .describe(
      'For scope region, or phase purify (then all fields are required): x, y (upper left corner), w, h as shares (0 to 1) of the picture',
    ),
  purify_func_type: agentField(z.enum(['ffmpeg', 'raft']), {
    names: {
      inpaint: 'raft',
      inpainting: 'raft',
      fill: 'raft',
      blur: 'ffmpeg',
      blurred: 'ffmpeg',
      filled: 'raft',
    },
  })
    .default('ffmpeg')
    .describe('ffmpeg: blur; raft: fill with background (slower, at most 20 minutes)'),
  detect_scope: z
    .enum(['full_screen', 'subtitle', 'custom'])
    .default('full_screen')
    .describe('With phase detect'),
  detect_roi: agentField(area.optional(), { isBrief: true }).describe(
    'For detect_scope custom: area {x, y, w, h}',
  ),
  protect_regions: agentField(list(region).max(maxRegions), { isBrief: true })
    .default([])
    .describe('With phase purify, like regions: nothing inside changes'),
  source_file_id: agentField(id.optional(), { isUnlisted: true }).describe(
    'With phase purify: must equal file_id',
  ),
  regions_file_id: fileRef({
    kinds: ['text'],
    describe: 'With phase purify, instead of regions: list of a detection (.json)',
    insteadOf: 'regions',
  }).optional(),
})

type PurifyFields = z.output<typeof requestFields>

/** Adds issues for invalid combinations of fields. */
function checkFieldCombinations(request: PurifyFields, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string, fix: string) =>
    context.addIssue({ code: 'custom', path, message, params: { fix } })
  // Other fields that do not apply are ignored, as the contract says; this one is our addition and would be ignored
  // silently.
  if (request.phase !== 'purify' && request.regions_file_id !== undefined) {
    refuse(
      ['regions_file_id'],
      'applies only with phase purify',
      'Add phase purify to treat that list, or omit it to detect text again.',
    )
  }
  if (request.phase === 'purify') {
    for (const issue of regionListIssues(request)) context.addIssue(issue)
    const { file_id, source_file_id, regions_file_id } = request
    if (source_file_id !== undefined && source_file_id !== file_id) {
      refuse(
        ['source_file_id'],
        'is not file_id: the list belongs to another video',
        `Give file_id ${JSON.stringify(source_file_id)} to clean that one, or detect in this one.`,
      )
    }
    if (regions_file_id !== undefined && request.regions !== undefined) {
      refuse(
        ['regions_file_id'],
        'cannot be combined with regions',
        'Give either regions or regions_file_id.',
      )
    }
    return
  }
  if (request.phase === 'detect') {
    if (request.detect_scope === 'custom' && !request.detect_roi) {
      refuse(['detect_roi'], 'required with detect_scope custom', 'Give the area as {x, y, w, h}, 0 to 1.')
    }
    return
  }
  const needed = { custom: 'rois', region: 'regions' } as const
  const scope = request.purify_scope
  if ((scope === 'custom' || scope === 'region') && (request[needed[scope]] ?? []).length === 0) {
    refuse(
      [needed[scope]],
      `required with purify_scope ${scope}`,
      'Give at least one area {x, y, w, h}, 0 to 1.',
    )
  }
}

/** Most issues of lists that are collected; more are neither listed nor counted. */
const maxListIssues = 1000

/** Returns the first issues of lists for phase purify: missing fields and repeated ids. */
export function regionListIssues(lists: Pick<PurifyFields, 'regions' | 'protect_regions'>) {
  const issues = []
  for (const issue of findListIssues(lists)) {
    issues.push(issue)
    if (issues.length === maxListIssues) break
  }
  return issues
}

function* findListIssues({
  regions = [],
  protect_regions,
}: Pick<PurifyFields, 'regions' | 'protect_regions'>) {
  const regionIssue = (path: (string | number)[], message: string, fix: string) => {
    return { code: 'custom' as const, path, message, params: { fix } }
  }
  for (const [name, regionList] of Object.entries({ regions, protect_regions })) {
    for (const [index, one] of regionList.entries()) {
      for (const field of ['id', 'source', 'start', 'end'] as const) {
        if (one[field] !== undefined) continue
        yield regionIssue(
          [name, index, field],
          'required with phase purify',
          'Give every field of each region.',
        )
      }
    }
    for (const { index, message } of findDuplicateIds(regionList)) {
      yield regionIssue([name, index, 'id'], message, 'Give each region a unique id.')
    }
  }
}

const input = requestFields.superRefine(checkFieldCombinations)

/**
 * Fields that each kind of request reads (contract 2, section 4.1) and our additions, which are rejected where they do
 * not apply.
 */
const fieldsByPhase = {
  detect: ['file_id', 'phase', 'detect_scope', 'detect_roi', 'regions_file_id'],
  purify: [
    'file_id',
    'phase',
    'regions',
    'protect_regions',
    'source_file_id',
    'purify_func_type',
    'regions_file_id',
  ],
  oneShot: ['file_id', 'purify_scope', 'rois', 'regions', 'purify_func_type', 'regions_file_id'],
}

/** Lists that are read with one scope only. */
const listsByScope = { rois: 'custom', regions: 'region' } as const

type RawRequest = Readonly<Record<string, unknown>>

/**
 * Returns the fields that this kind of request reads. Leaves an unknown phase for the schema to reject. Throws 6013 if
 * phase purify has no list.
 */
export function selectReadFields(raw: RawRequest): Record<string, unknown> {
  const { phase } = raw
  if (phase !== undefined && phase !== 'detect' && phase !== 'purify') return { ...raw }
  if (phase === 'purify' && raw['regions'] === undefined && raw['regions_file_id'] === undefined) {
    const file = raw['file_id'] === undefined ? 'file_id, ' : ''
    throw new MediaError(6013, `required: ${file}regions or regions_file_id`, {
      hint: 'Give regions ([] copies the video), or the detection result, a JSON file, as regions_file_id.',
    })
  }
  const read = Object.fromEntries(fieldsByPhase[phase ?? 'oneShot'].map((name) => [name, raw[name]]))
  if (phase === 'detect' && raw['detect_scope'] !== 'custom') delete read['detect_roi']
  if (phase !== undefined) return read
  for (const [name, scope] of Object.entries(listsByScope)) {
    if (raw['purify_scope'] === scope) read[name] = dropNames(read[name])
    else delete read[name]
  }
  return read
}

/** Without a phase, regions have neither id nor source. */
function dropNames(given: unknown): unknown {
  // A list that is too long is refused whatever it contains.
  if (!Array.isArray(given) || given.length > maxRegions) return given
  return given.map((one: unknown) => {
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'id' && name !== 'source'))
  })
}

const output = z.object({
  phase: z.enum(['detect', 'purify']).optional(),
  file_id: id.optional().describe('The cleaned video'),
  download_url: z.string().optional(),
  regions_file_id: id.optional().describe('The detection result, a JSON file'),
  regions_download_url: z.string().optional(),
  regions_found: z
    .int()
    .optional()
    .describe('Number of regions with text; with phase detect, number of regions in the list'),
  unchanged: z.boolean().optional().describe('Nothing was treated: the file is an exact copy'),
  notes: z
    .array(z.string())
    .optional()
    .describe('Changes to the video beyond the request, such as tone mapping'),
})

export const videoPurify = operation({
  name: 'video_purify',
  title: 'Clean a video',
  description:
    'Removes subtitles, watermarks, logos and other overlays from a video. In one request: purify_scope selects text or ' +
    'boxes. More precise in two steps: phase detect finds text (not logos) and returns regions and a list file; then ' +
    'phase purify with regions_file_id and remove_ids or keep_ids, or with your own regions.',
  details:
    'Sound and timing are kept. Boxes refer to the upright picture. The list file of a detection may be edited. ' +
    'protect_regions stay unchanged even where regions overlap them. At most 2 hours, 4000 px per side, 120 frames per ' +
    'second.',
  // Two lists of 50,000 regions of 335 bytes.
  maxBodyBytes: 32 * 2 ** 20,
  toolset: 'clean',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'the video' },
  limits: [6019, 6022, 6023, 6035],
  selectFields: selectReadFields,
  nextStep: ({ file_id, regions_file_id, unchanged }, { input: request, nameFile }) => {
    if (regions_file_id !== undefined) {
      return (
        'Detection locates text but does not read it. Choose from regions by id, with the user or after inspect_file ' +
        'with the video and ' +
        `${JSON.stringify(nameFile(regions_file_id))} as regions. Then call video_purify with phase purify, ` +
        `regions_file_id "${regions_file_id}" and remove_ids or keep_ids.`
      )
    }
    if (unchanged === true) return 'Nothing was treated. To remove something, give its boxes.'
    const usedList = request?.['regions_file_id']
    const shown = usedList === undefined ? 'preview contact_sheet' : `regions ${JSON.stringify(usedList)}`
    const result = file_id === undefined ? 'the cleaned video' : `file ${JSON.stringify(nameFile(file_id))}`
    return `Check the result: inspect_file with ${result} and ${shown}.`
  },
  agentForm: purifyAgentForm(requestFields),
  reviewedRegions: {
    kind: 'video',
    nextStep({ fileId, isDetected }) {
      const sort =
        'Remove regions to keep from the list, or move them to protect_regions where others overlap them; then ' +
        'inspect again.'
      const clean = 'call video_purify with phase purify and regions_file_id.'
      return isDetected
        ? `${sort} To clean with this list, ${clean}`
        : `${sort} To clean with your own list, write it as ${exampleRegionsFile(fileId)}, and ${clean}`
    },
  },
  examples: [
    {
      title: 'Detect all text first, then review and choose',
      input: { file_id: 'talk.mp4', phase: 'detect' },
    },
    {
      title: 'Fill a channel logo with its background, and keep the score beside it',
      input: {
        file_id: 'match.mp4',
        phase: 'purify',
        regions: [{ id: 'logo', source: 'manual', x: 0.82, y: 0.04, w: 0.14, h: 0.1, start: 0, end: 5400 }],
        protect_regions: [
          { id: 'score', source: 'manual', x: 0.8, y: 0.11, w: 0.18, h: 0.06, start: 0, end: 5400 },
        ],
        purify_func_type: 'raft',
      },
    },
  ],
})

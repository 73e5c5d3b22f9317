import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKinds, supportedHint } from '../contract/file-kind.ts'
import { id } from '../contract/fields.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { type CompletedTask, type FileDelivery, findResultFiles } from './file-delivery.ts'
import { describeError } from './reply.ts'
import type { LinkedFile, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import { downloadable, requireOneSource } from './tools/file-tools.ts'
import { defineTool, orFolderText, pathOrIdText, type PublishedSchema, type Tool } from './tool.ts'

/** Delivery to clients on other machines: they upload to the service, name files by id, and download by signed links. */
export function linkDelivery(address: ResolveServiceAddress): FileDelivery {
  return {
    instructions:
      'A media studio. Files are named by file_id: call upload_file to learn how to upload one. Long work returns a ' +
      'task that runs in the background: follow next_step, usually get_task. Results are download links.',
    promptNote:
      'This server cannot read local paths. Instead of a path, use the file_id of an upload (see upload_file), and give results as links.',
    adaptSchema: withoutPaths,
    adaptTools: (all) => toolsWithLinks(all, address),
    async folders() {
      throw new MediaError(6016, 'This server does not run on your machine and accepts no paths', {
        hint: 'Upload the file as upload_file describes, and give its file_id.',
      })
    },
    hasFile: async () => false,
    statusFields: async () => ({ service_address: await address() }),
    deliver: (session, done, call) => linkResults(session, { ...done, address }, call.signal),
  }
}

async function linkResults(
  session: Session,
  { view, address }: CompletedTask & { readonly address: ResolveServiceAddress },
  signal: AbortSignal,
): Promise<DeliveryState> {
  const files = findResultFiles(view.output_result ?? {})
  try {
    const linked = await Promise.all(
      files.map(async (file): Promise<LinkedFile> => {
        const link = await createFileLink(session, { file_id: file.file_id, address }, signal)
        return { ...file, ...link }
      }),
    )
    return { linked }
  } catch (error) {
    // A link that fails must not hide that the task is completed and paid for.
    if (signal.aborted) return { percent: 0 }
    if (error instanceof MediaError) return { unlinked: describeError(error) }
    throw error
  }
}

/** Descriptions of tools that differ if files are not saved locally. */
const linkDescriptions: Readonly<Record<string, string>> = {
  inspect_file:
    'Returns the facts of a media file; on request with a picture: contact sheet of a video or image, waveform, one large ' +
    'frame with a 0-to-1 grid to read boxes from (at), or a list of regions drawn over frames.',
  get_task:
    'Returns the state of a task, after waiting up to wait_seconds. For a completed task, returns download links that ' +
    'need no key.',
  list_tasks:
    "Lists the account's tasks, newest first. get_task returns the details of one, with links to its results.",
  service_status:
    'Reports what is ready, what is missing and the command that installs it; credits and the service URL.',
}

/** Adapts the tools to clients on other machines: file ids in place of paths, upload and download by URL. */
function toolsWithLinks(
  all: ReadonlyMap<string, Tool>,
  address: ResolveServiceAddress,
): ReadonlyMap<string, Tool> {
  const own = new Map(
    [uploadAddressTool(address), fileLinkTool(address)].map((each) => [each.definition.name, each]),
  )
  return new Map([...all].map(([name, local]) => [name, own.get(name) ?? withoutSaveTo(local)]))
}

/** Removes `save_to` from a tool. */
function withoutSaveTo(local: Tool): Tool {
  const { definition } = local
  const { name, inputSchema, description } = definition
  return {
    ...local,
    definition: {
      ...definition,
      description: linkDescriptions[name] ?? description,
      inputSchema: withoutPaths(inputSchema),
    },
    async run(session, given, call) {
      if (typeof given === 'object' && given !== null && 'save_to' in given) {
        throw new MediaError(6016, 'Unknown argument save_to', {
          hint: 'Leave it out: results are download links.',
        })
      }
      return local.run(session, given, call)
    },
  }
}

/** Removes `save_to` from a published schema, and paths from the descriptions of file fields. */
function withoutPaths(schema: PublishedSchema): PublishedSchema {
  return { ...stripPaths(schema), type: 'object' }
}

function stripPaths(schema: object): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key]) => key !== 'save_to')
  return Object.fromEntries(kept.map(([key, value]) => [key, stripPathsFromValue(value)]))
}

function stripPathsFromValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripPathsFromValue)
  if (typeof value === 'string')
    return value.replace(orFolderText, '').replace(new RegExp(pathOrIdText, 'i'), 'file id')
  return typeof value === 'object' && value !== null ? stripPaths(value) : value
}

function uploadAddressTool(address: ResolveServiceAddress): Tool {
  return defineTool(
    {
      name: 'upload_file',
      title: 'How to upload a file',
      description:
        'Returns the upload URL and a command that uploads a file. The response contains the file_id for other tools.',
      input: z.object({}),
      toolset: 'files',
      example: {},
      errors: [],
      hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async () => {
      const upload_url = (await address()).replace(/\/$/, '') + routes.uploadFile.path
      return {
        data: {
          upload_url,
          method: routes.uploadFile.method,
          form_field: 'file',
          header: 'Authorization: the API key that this MCP server is called with, as the whole value',
          command: `curl -H "Authorization: $REELWRIGHT_API_KEY" -F file=@clip.mp4 ${upload_url}`,
          takes: supportedHint(fileKinds),
          next_step:
            'Upload the file, or have the user do it, then use data.file_id of the response in other tools.',
        },
      }
    },
  )
}

function fileLinkTool(address: ResolveServiceAddress): Tool {
  return defineTool(
    {
      name: 'download_file',
      title: 'Link to a file',
      description: `Creates a link that opens a stored file, or a material that a search returned, without a key for ${linkSeconds / 3600} hours. get_task returns links to results.`,
      input: z.object({ ...downloadable, file_id: id.optional().describe('Id of a stored file') }),
      toolset: 'files',
      alsoIn: ['library'],
      example: { file_id: '1947527768341286912' },
      errors: rawRoutes.downloadFile.errors,
      hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (session, given, { signal }) => {
      const { file_id, material_id } = await requireOneSource(session, given)
      const link =
        file_id === undefined
          ? await createMaterialLink(session, { material_id, address }, signal)
          : await createFileLink(session, { file_id, address }, signal)
      const next_step = `Give the user the url, or download it.${file_id === undefined ? ` ${useMaterialStep}` : ''}`
      return { data: { ...link, next_step } }
    },
  )
}

/** A material is no stored file yet, which other tools require. */
const useMaterialStep =
  'To look at it or use it in other tools, upload the downloaded file as upload_file describes, then give its file_id to ' +
  'inspect_file or the other tool.'

/** Lifetime of download links, seconds: a conversation may continue the next day. */
const linkSeconds = 24 * 3600

/** Returns the base URL under which clients reach the service. */
export type ResolveServiceAddress = () => Promise<string>

/** Creates a link that opens a stored file without a key. */
async function createFileLink(
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
  return { file_id, name: original_name, bytes: size, url: absoluteUrl(url, base), expires_at }
}

/** Creates a link that opens a material of the library without a key. */
async function createMaterialLink(
  { client }: Session,
  { material_id, address }: { readonly material_id: number; readonly address: ResolveServiceAddress },
  signal: AbortSignal,
) {
  const [{ links }, base] = await Promise.all([
    client.call(routes.linkMaterials, { body: { ids: [material_id] }, signal }),
    address(),
  ])
  const [link] = links
  if (!link) throw new MediaError(6004, `material ${material_id} has no link`)
  const { name, size, download_url, accompaniment_url, expires_at } = link
  return {
    ...{ material_id, name, bytes: size, url: absoluteUrl(download_url, base), expires_at },
    ...(accompaniment_url !== undefined && { accompaniment_url: absoluteUrl(accompaniment_url, base) }),
  }
}

function absoluteUrl(url: string, base: string): string {
  return URL.canParse(url) ? url : base.replace(/\/$/, '') + url
}

import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { fileKinds, supportedHint } from '../contract/file-kind.ts'
import { id } from '../contract/fields.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { type CompletedTask, type FileDelivery, findResultFiles } from './file-delivery.ts'
import { describeError } from './reply.ts'
import type { LinkedFile, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import { defineTool, pathOrIdText, type PublishedSchema, type Tool } from './tool.ts'

/** The client works elsewhere: files are named by id, uploaded to the service itself, and downloaded by signed links. */
export function linkDelivery(address: ResolveServiceAddress): FileDelivery {
  return {
    instructions:
      'A media studio. Files are named by file_id: upload_file tells how to upload one. Long work answers with a ' +
      'task and goes on by itself: follow next_step, usually get_task. Results come as links to download.',
    promptNote:
      'Files are not on this machine: where this speaks of paths, use the file_id of an upload (upload_file tells how), and give results as links.',
    adaptSchema: withoutPaths,
    adaptTools: (all) => toolsWithLinks(all, address),
    async folders() {
      throw new MediaError(6016, 'This server is not on your machine: it takes no paths', {
        hint: 'Upload the file as upload_file tells, and give its file_id.',
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
    // The task is done and paid; that its files cannot be linked, or not yet, must not hide it.
    if (signal.aborted) return { underWay: 0 }
    if (error instanceof MediaError) return { unlinked: describeError(error) }
    throw error
  }
}

/** Words of tools that are true only where files are saved. */
const linkDescriptions: Readonly<Record<string, string>> = {
  get_task:
    'State of a task, waiting for it up to wait_seconds. Once it is completed the result files are answered with ' +
    'links that open them without a key.',
  list_tasks: "The account's tasks, newest first. get_task tells more of one, with links to its results.",
  service_status:
    'What is ready, what is missing and the command that brings it; credits, prices, limits, and the address of the service.',
}

/** The tools for clients on other machines: files are named by id, and come and go by the service's own addresses. */
function toolsWithLinks(
  all: ReadonlyMap<string, Tool>,
  address: ResolveServiceAddress,
): ReadonlyMap<string, Tool> {
  const own = new Map(
    [uploadAddressTool(address), fileLinkTool(address)].map((each) => [each.definition.name, each]),
  )
  return new Map([...all].map(([name, local]) => [name, own.get(name) ?? withoutSaveTo(local)]))
}

/** The same tool without folders to save to. */
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
          hint: 'Leave it out: results come as links to download.',
        })
      }
      return local.run(session, given, call)
    },
  }
}

/** A published schema without `save_to`, in which files are named by id alone. */
function withoutPaths(schema: PublishedSchema): PublishedSchema {
  return { ...stripPaths(schema), type: 'object' }
}

function stripPaths(schema: object): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key]) => key !== 'save_to')
  return Object.fromEntries(kept.map(([key, value]) => [key, stripPathsFromValue(value)]))
}

function stripPathsFromValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripPathsFromValue)
  if (typeof value === 'string') return value.replace(new RegExp(pathOrIdText, 'i'), 'file id')
  return typeof value === 'object' && value !== null ? stripPaths(value) : value
}

function uploadAddressTool(address: ResolveServiceAddress): Tool {
  return defineTool(
    {
      name: 'upload_file',
      title: 'How to upload a file',
      description:
        'Tells the address that takes an upload, and a command that sends one. Its answer holds the file_id that ' +
        'other tools take.',
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
            'Upload the file, or have the user do it, then use data.file_id of the answer in other tools.',
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
      description: `Makes a link that opens a stored file without a key, for ${linkSeconds / 3600} hours. get_task answers those of results.`,
      input: z.object({ file_id: id.describe('Id of a stored file') }),
      toolset: 'files',
      example: { file_id: '1947527768341286912' },
      errors: rawRoutes.downloadFile.errors,
      hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (session, { file_id }, { signal }) => {
      const link = await createFileLink(session, { file_id, address }, signal)
      return { data: { ...link, next_step: 'Give the user the url, or download it.' } }
    },
  )
}

/** How long the links of results open their files, seconds: a conversation may come back to them the next day. */
const linkSeconds = 24 * 3600

/** Tells where clients reach the service. */
export type ResolveServiceAddress = () => Promise<string>

/** A stored file with a link that opens it without a key. */
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
  const href = URL.canParse(url) ? url : base.replace(/\/$/, '') + url
  return { file_id, name: original_name, bytes: size, url: href, expires_at }
}

import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { downloadSmallFile } from '../client/preview.ts'
import { fetchTask } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import type { InspectedFile } from '../contract/file-routes.ts'
import { kindOf } from '../contract/file-kind.ts'
import { routes } from '../contract/routes.ts'
import { catalogResources, catalogTemplates, readCatalogResource } from './catalog-resources.ts'
import { fileUri, taskUri } from './resource-uris.ts'
import { roundNumbers } from './round-numbers.ts'
import { lookUpTask, type Session } from './session.ts'
import { publicMediaFacts } from './tools/inspect-tool.ts'
import { knownTaskSnapshot } from './known-task-snapshot.ts'

const jsonMimeType = 'application/json'

/** Lists the URI templates. */
export function listResourceTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        name: 'task',
        title: 'Task',
        uriTemplate: taskUri('{task_id}'),
        description: 'State and result of a task; subscribe to follow it.',
        mimeType: jsonMimeType,
      },
      {
        name: 'file',
        title: 'File',
        uriTemplate: fileUri('{file_id}'),
        description: 'Facts of a stored file, with the content of a short text or small image.',
        mimeType: jsonMimeType,
      },
      ...catalogTemplates,
    ],
  }
}

const tasksListed = 50

/** Lists the service's descriptions, the account's latest tasks, and the files of this session. */
export async function listResources(session: Session): Promise<ListResourcesResult> {
  const { list } = await session.client.call(routes.listTasks, { query: { page_size: tasksListed } })
  const tasks = list.map((task) => ({
    uri: taskUri(task.id),
    name: `task ${task.id}`,
    title: `${task.task_type_name}: ${task.status}`,
    description: 'State and result of the task; subscribe to follow it.',
    mimeType: jsonMimeType,
  }))
  const files = [...session.files.entries()].map(([id, { name }]) => ({
    uri: fileUri(id),
    name: `file ${id}`,
    title: name,
    description: 'Facts of the file, with the content of a short text or small image.',
    mimeType: jsonMimeType,
  }))
  return { resources: [...catalogResources(session), ...tasks, ...files] }
}

/** Reads a resource. Throws ResourceNotFoundError if it does not exist. */
export async function readResource(session: Session, uri: string): Promise<ReadResourceResult> {
  const catalog = await readCatalogResource(session, uri)
  if (catalog !== undefined)
    return { contents: [{ uri, mimeType: jsonMimeType, text: JSON.stringify(catalog) }] }
  const [, kind, id] = /^media:\/\/(tasks|files)\/([\w-]{1,64})$/.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  try {
    return kind === 'tasks'
      ? await readTaskResource(session, uri, id)
      : await readFileResource(session, uri, id)
  } catch (error) {
    const unknown = error instanceof MediaError && (error.code === 6005 || error.code === 6004)
    throw unknown ? new ResourceNotFoundError(uri) : error
  }
}

/** Time for reading the regions of a detection, ms: the resource is complete without them. */
const regionsTimeoutMs = 5000

async function readTaskResource(session: Session, uri: string, id: string): Promise<ReadResourceResult> {
  const known = await lookUpTask(session, id)
  const view = await fetchTask(session.client, known)
  const until = AbortSignal.timeout(regionsTimeoutMs)
  const snapshot = await knownTaskSnapshot(session, { view, task: known, delivery: null }, until)
  return { contents: [{ uri, mimeType: jsonMimeType, text: JSON.stringify(roundNumbers(snapshot)) }] }
}

async function readFileResource(session: Session, uri: string, id: string): Promise<ReadResourceResult> {
  const facts = await session.client.call(routes.inspectFile, { params: { file_id: id } })
  const { original_name, size, created_at, expire_at, media } = facts
  const about = {
    file_id: id,
    name: original_name,
    bytes: size,
    created_at,
    expire_at,
    media: publicMediaFacts(media),
  }
  const content = await readFileContent(session, uri, facts)
  return {
    contents: [{ uri, mimeType: jsonMimeType, text: JSON.stringify(roundNumbers(about)) }, ...content],
  }
}

/** Largest text and image whose content is included, bytes. */
const maxTextBytes = 256 * 1024
const maxImageBytes = 1024 * 1024

async function readFileContent(
  session: Session,
  uri: string,
  facts: InspectedFile,
): Promise<ReadResourceResult['contents']> {
  const extension = facts.base_ext.toLowerCase()
  const kind = kindOf(extension)
  if (kind === 'image' && facts.size <= maxImageBytes) {
    const bytes = await downloadSmallFile(session.client, facts, { maxBytes: maxImageBytes })
    const subtype = extension === '.jpg' ? 'jpeg' : extension.slice(1)
    return [{ uri, mimeType: `image/${subtype}`, blob: bytes.toString('base64') }]
  }
  if (kind === 'text' && facts.size <= maxTextBytes) {
    const bytes = await downloadSmallFile(session.client, facts, { maxBytes: maxTextBytes })
    return [{ uri, mimeType: 'text/plain', text: bytes.toString('utf8') }]
  }
  return []
}

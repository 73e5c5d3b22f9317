import type { ResourceLink } from '@modelcontextprotocol/server'
import { basename } from 'node:path'
import * as z from 'zod'
import { id } from '../contract/fields.ts'
import { fileUri, taskUri } from './resource-uris.ts'

/** Links of one result: more would only cost the model's context. */
const maxLinks = 8

const linkedFile = z.looseObject({
  file_id: id,
  path: z.string().optional(),
  name: z.string().optional(),
})

const linkedData = linkedFile.partial().extend({
  task_id: id.optional().catch(undefined),
  file_id: id.optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  files: z.array(linkedFile).default([]).catch([]),
})

const mimeType = 'application/json'

/** Links from a tool's data to the resources of its files, or of its task while that has none. */
export function resourceLinks(data: Readonly<Record<string, unknown>>): ResourceLink[] {
  const { data: linked } = linkedData.safeParse(data)
  if (!linked) return []
  const { task_id, file_id, files } = linked
  const named = file_id === undefined ? files : [{ ...linked, file_id }]
  if (named.length === 0 && task_id !== undefined) {
    return [{ type: 'resource_link', uri: taskUri(task_id), name: `task ${task_id}`, mimeType }]
  }
  return named.slice(0, maxLinks).map((file) => ({
    type: 'resource_link',
    uri: fileUri(file.file_id),
    name: file.path === undefined ? (file.name ?? `file ${file.file_id}`) : basename(file.path),
    mimeType,
  }))
}

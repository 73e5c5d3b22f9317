import { readdir } from 'node:fs/promises'
import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequest,
  type CompleteResult,
} from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf, type FileKind } from '../contract/file-kind.ts'
import { outputRatios } from '../contract/catalog.ts'
import { routes } from '../contract/routes.ts'
import { layoutsTemplate, operationUri } from './catalog-resources.ts'
import type { PromptFile } from './prompts.ts'
import { fileUri, taskUri } from './resource-uris.ts'
import type { Session } from './session.ts'

/** Sources of completion values. */
interface CompletionSources {
  readonly session: Session
  readonly prompts: () => Promise<ReadonlyMap<string, PromptFile>>
}

type ValueSource = (session: Session) => Iterable<string> | Promise<Iterable<string>>

/** Most values that the protocol allows in a response. */
const maxCompletions = 100

/** Values by URI template, then by variable name. */
const templateValues: Readonly<Record<string, Readonly<Record<string, ValueSource>>>> = {
  [taskUri('{task_id}')]: { task_id: latestTasks },
  [fileUri('{file_id}')]: { file_id: latestFiles },
  [operationUri('{name}')]: { name: ({ operations }) => operations.map(({ name }) => name) },
  [layoutsTemplate]: {
    slot_count: () => Array.from({ length: 15 }, (_, index) => String(index + 2)),
    ratio: () => outputRatios,
  },
}

/** Completes a variable of a URI template or an argument of a prompt. Returns no values if any text is accepted. */
export async function completeArgument(
  { session, prompts }: CompletionSources,
  { ref, argument }: CompleteRequest['params'],
): Promise<CompleteResult> {
  if (ref.type === 'ref/resource') {
    const places = Object.hasOwn(templateValues, ref.uri) ? templateValues[ref.uri] : undefined
    if (!places) throw unknownReference(`resource template ${ref.uri}`)
    const values = Object.hasOwn(places, argument.name) ? await places[argument.name]?.(session) : []
    return matchPrefix(values ?? [], argument.value)
  }
  const prompt = (await prompts()).get(ref.name)
  if (!prompt) throw unknownReference(`prompt ${ref.name}`)
  const values = prompt.values.get(argument.name)
  if (!values) return matchPrefix([], '')
  if ('words' in values) return matchPrefix(values.words, argument.value)
  // An argument may list several files separated by commas; the last one is being typed.
  const [before = ''] = /^.*,\s*/s.exec(argument.value) ?? []
  const names = await workspaceFiles(session, values.files)
  return matchPrefix(
    names.map((name) => before + name),
    argument.value,
  )
}

function unknownReference(what: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${what}`)
}

function matchPrefix(values: Iterable<string>, typed: string): CompleteResult {
  const start = typed.toLowerCase()
  const found = [...new Set(values)].filter((value) => value.toLowerCase().startsWith(start))
  const total = found.length
  return { completion: { values: found.slice(0, maxCompletions), total, hasMore: total > maxCompletions } }
}

async function latestTasks({ client }: Session): Promise<string[]> {
  const { list } = await client.call(routes.listTasks, { query: { page_size: maxCompletions } })
  return list.map(({ id }) => id)
}

/** File ids of this session, then of the account. */
async function latestFiles({ client, files }: Session): Promise<string[]> {
  const here = [...files.entries()].map(([id]) => id).toReversed()
  const listed = client.call(routes.listFiles, { query: { page_size: maxCompletions } })
  const stored = await listed.then(
    ({ list }) => list.map(({ file_id }) => file_id),
    (error: unknown) => {
      // Other implementations of the contract may not list files.
      if (error instanceof MediaError) return []
      throw error
    },
  )
  return [...here, ...stored]
}

/** Names of files of these kinds directly in the workspace folder; none if there is no workspace. */
async function workspaceFiles({ delivery: place }: Session, kinds: readonly FileKind[]): Promise<string[]> {
  try {
    const { workspace } = await place.folders()
    const entries = await readdir(workspace, { withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
    return names.filter((name) => kinds.some((kind) => kind === kindOf(extensionOf(name)))).toSorted()
  } catch {
    return []
  }
}

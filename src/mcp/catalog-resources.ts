import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
} from '@modelcontextprotocol/server'
import { describePrice } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { describeIssues, plainIssueMessage } from '../contract/validation.ts'
import { jsonSchemaOf } from '../contract/json-schema.ts'
import { routes } from '../contract/routes.ts'
import type { Session } from './session.ts'
import { publishInputSchema } from './tool.ts'
import { toolInput } from './tools/operation-tool.ts'

const catalogMimeType = 'application/json'

/** URI of an operation's description. */
export function operationUri(name: string): string {
  return `media://operations/${name}`
}

/** URI template of layouts. */
export const layoutsTemplate = 'media://layouts{?slot_count,ratio,page,page_size}'

/** URI templates with variables. */
export const catalogTemplates: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    name: 'operation',
    title: 'Operation',
    uriTemplate: operationUri('{name}'),
    description: 'An operation in full: all arguments with their bounds, result, price and example calls.',
    mimeType: catalogMimeType,
  },
  {
    name: 'layouts',
    title: 'Layouts',
    uriTemplate: layoutsTemplate,
    description:
      'Split-screen layouts for a number of clips and an aspect ratio, with the position of each slot.',
    mimeType: catalogMimeType,
  },
]

/** Resources that describe the service itself: operations, values, voices and layouts. */
export function catalogResources({ operations }: Session): ListResourcesResult['resources'] {
  return [
    {
      uri: 'media://enums',
      name: 'enums',
      title: 'Values of fields, states and errors',
      description: 'Allowed values of each enumerated field, by task type and field path.',
      mimeType: catalogMimeType,
    },
    {
      uri: 'media://voices',
      name: 'voices',
      title: 'Voices',
      description: 'Ids and languages of the available voices.',
      mimeType: catalogMimeType,
    },
    {
      uri: 'media://layouts',
      name: 'layouts',
      title: 'Split-screen layouts',
      description: 'Layout ids with the position of each slot; filter with slot_count and ratio.',
      mimeType: catalogMimeType,
    },
    ...operations.map(({ name, title }) => ({
      uri: operationUri(name),
      name: `operation ${name}`,
      title,
      description: `All arguments, result, price and example calls of ${name}.`,
      mimeType: catalogMimeType,
    })),
  ]
}

/** Reads such a resource; returns undefined for other URIs. */
export async function readCatalogResource(session: Session, uri: string): Promise<unknown> {
  const [, kind, name, query = ''] = /^media:\/\/(\w+)(?:\/(\w+))?(?:\?(.*))?$/.exec(uri) ?? []
  if (kind === 'operations') return describeOperation(session, uri, name)
  if (name !== undefined) return undefined
  if (kind === 'enums') return await session.client.call(routes.enums)
  if (kind === 'voices') return await session.client.call(routes.voices)
  return kind === 'layouts' ? await readLayouts(session, query) : undefined
}

function describeOperation(
  { operations, delivery: place }: Session,
  uri: string,
  name: string | undefined,
): unknown {
  const operation = operations.find((each) => each.name === name)
  if (!operation) throw new ResourceNotFoundError(uri)
  const { title, description, details, price, toolset, output, examples } = operation
  return {
    name,
    title,
    description,
    details,
    price: describePrice(price),
    toolset,
    input: place.adaptSchema(publishInputSchema(toolInput(operation), 'full')),
    output: jsonSchemaOf(output, 'output'),
    examples: examples.map(({ title: purpose, input, call }) => ({
      title: purpose,
      arguments: call ?? input,
    })),
  }
}

/** Lists layouts without their SVG sketches: the positions of the slots are more useful to a model. */
async function readLayouts(session: Session, query: string): Promise<unknown> {
  const asked = Object.fromEntries(new URLSearchParams(query))
  const parsed = routes.layouts.query.safeParse(asked, { error: plainIssueMessage })
  if (!parsed.success) throw new MediaError(6016, describeIssues(parsed.error, 'query'))
  const page = await session.client.call(routes.layouts, { query: parsed.data })
  return { ...page, list: page.list.map((layout) => ({ ...layout, svg: undefined })) }
}

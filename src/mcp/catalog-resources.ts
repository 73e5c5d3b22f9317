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
import { publishInputSchema } from './tool.ts'
import type { Session } from './session.ts'

const catalogMimeType = 'application/json'

/** The address of an operation's description. */
export function operationUri(name: string): string {
  return `media://operations/${name}`
}

/** The form of the addresses of layouts. */
export const layoutsTemplate = 'media://layouts{?slot_count,ratio,page,page_size}'

/** Forms of the addresses that take something. */
export const catalogTemplates: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    name: 'operation',
    title: 'Operation',
    uriTemplate: operationUri('{name}'),
    description: 'An operation in full: fields, result, price and worked examples.',
    mimeType: catalogMimeType,
  },
  {
    name: 'layouts',
    title: 'Layouts',
    uriTemplate: layoutsTemplate,
    description:
      'Split-screen layouts for a number of clips and a shape of the result, with the place of each slot.',
    mimeType: catalogMimeType,
  },
]

/** What tells of the studio itself rather than of one's work. */
export function catalogResources({ operations }: Session): ListResourcesResult['resources'] {
  return [
    {
      uri: 'media://enums',
      name: 'enums',
      title: 'Every value that fields, states and errors may have',
      description: 'What may stand in each field that takes one of several values, by task type and place.',
      mimeType: catalogMimeType,
    },
    {
      uri: 'media://voices',
      name: 'voices',
      title: 'Voices that speak',
      description: 'Ids and languages of the voices that a request may name.',
      mimeType: catalogMimeType,
    },
    {
      uri: 'media://layouts',
      name: 'layouts',
      title: 'Split-screen layouts',
      description: 'Ids of the layouts with the place of each slot; slot_count and ratio narrow them.',
      mimeType: catalogMimeType,
    },
    ...operations.map(({ name, title }) => ({
      uri: operationUri(name),
      name: `operation ${name}`,
      title,
      description: `Fields, result, price and worked examples of ${name}.`,
      mimeType: catalogMimeType,
    })),
  ]
}

/** Reads one of them; undefined for an address of another kind. */
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
  const { title, description, price, toolset, input, output, examples } = operation
  return {
    name,
    title,
    description,
    price: describePrice(price),
    toolset,
    input: place.adaptSchema(publishInputSchema(input)),
    output: jsonSchemaOf(output, 'output'),
    examples,
  }
}

/** Without the sketches: the places of the slots tell a model more. */
async function readLayouts(session: Session, query: string): Promise<unknown> {
  const asked = Object.fromEntries(new URLSearchParams(query))
  const wish = routes.layouts.query.safeParse(asked, { error: plainIssueMessage })
  if (!wish.success) throw new MediaError(6016, describeIssues(wish.error, 'query'))
  const page = await session.client.call(routes.layouts, { query: wish.data })
  return { ...page, list: page.list.map((layout) => ({ ...layout, svg: undefined })) }
}

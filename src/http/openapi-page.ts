import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { JsonSchema } from '../contract/json-schema.ts'
import { rawRoutes } from '../contract/routes.ts'
import { lazy } from '../platform/cache.ts'
import { html, Html } from '../platform/text-formats.ts'
import type { Service } from '../tasks/service.ts'
import { describeConstraints, describeType, fieldRows } from './openapi-fields.ts'
import type { ApiBody, ApiParameter } from './openapi-requests.ts'
import type { ApiResponse } from './openapi-responses.ts'
import { type ApiOperation, describeApi, type DescribeApiOptions, type OpenApiDocument } from './openapi.ts'
import { StaticDocument } from './static-document.ts'

/** The page's only style. The content security policy allows it by its hash. */
const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --quiet: #8882 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 3rem } h3 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem }
code, pre { font: 0.875em/1.5 ui-monospace, monospace } pre { background: var(--quiet); padding: 0.75rem; overflow: auto }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid var(--line) }
summary { cursor: pointer } nav ul { columns: 2; padding-left: 1rem }
`

/** Renders the document as an HTML page without scripts. */
function renderDocsPage({ info, tags, paths }: OpenApiDocument): Html {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
  const groups = tags.map(({ name }) => ({
    name,
    some: all.filter(({ operation }) => operation.tags[0] === name),
  }))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: HTTP interface</title>
        ${new Html(`<style>${docsStyle}</style>`)}
      </head>
      <body>
        <h1>${info.title} ${info.version}</h1>
        <p>${info.description} For programs: <a href="docs/openapi.json">openapi.json</a>.</p>
        <nav>
          ${groups.map(
            ({ name, some }) =>
              html`<h2>${name}</h2>
                <ul>
                  ${some.map(
                    ({ name: title, operation }) =>
                      html`<li>
                        <a href="#${operation.operationId}"><code>${title}</code></a>
                      </li> `,
                  )}
                </ul> `,
          )}
        </nav>
        <main>
          ${groups.flatMap(({ some }) => some).map(({ name, operation }) => endpointSection(name, operation))}
        </main>
      </body>
    </html> `
}

function endpointSection(name: string, operation: ApiOperation): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  return html`<section>
    <h3 id="${operationId}"><code>${name}</code></h3>
    <p>${summary}.${operation.security?.length === 0 && ' Needs no key.'}</p>
    ${description !== undefined && html`<p>${description}</p>`}
    ${parameters.length > 0 && parameterTable(parameters)} ${requestBody && bodySection(requestBody)}
    <details>
      <summary>Responses</summary>
      ${Object.entries(responses).map(([status, answer]) => responseSection(status, answer))}
    </details>
  </section> `
}

function parameterTable(parameters: readonly ApiParameter[]): Html {
  return htmlTable(
    ['Parameter', 'In', 'Type', 'Meaning'],
    parameters.map(({ name, in: where, required, schema, description }) => [
      html`<code>${name}</code>${required && ' (required)'}`,
      where,
      describeType(schema),
      joinMeaning(description, describeConstraints(schema)),
    ]),
  )
}

function bodySection({ content }: ApiBody): Html {
  return html`${Object.entries(content).map(
    ([type, { schema, examples = {} }]) =>
      html`<p>Body: <code>${type}</code></p>
        ${fieldTable(schema)}
        ${Object.values(examples).map(
          ({ summary, value }) =>
            html`<p>${summary}:</p>
              <pre>${JSON.stringify(value, undefined, 2)}</pre> `,
        )}`,
  )}`
}

function responseSection(status: string, { description, content = {} }: ApiResponse): Html {
  return html`<p>
      <strong>${status}</strong> ${description}
      ${Object.keys(content).map((type) => html`<code>${type}</code>`)}
    </p>
    ${status < '300' && Object.values(content).map(({ schema }) => schema && fieldTable(schema))} `
}

function fieldTable(schema: JsonSchema): Html | undefined {
  const rows = [...fieldRows(schema)]
  if (rows.length === 0) return undefined
  return htmlTable(
    ['Field', 'Type', 'Meaning'],
    rows.map(({ path, type, required, constraints, description }) => [
      html`<code>${path}</code>${required && ' (required)'}`,
      type,
      joinMeaning(description, constraints),
    ]),
  )
}

function joinMeaning(description: string, constraints: string): string {
  return [description, constraints].filter((part) => part !== '').join('; ')
}

function htmlTable(head: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="scroll">
    <table>
      <tr>
        ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
      </tr>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr> `,
      )}
    </table>
  </div>`
}

/** Content security policy: no scripts and no resources, only the inline style. */
const docsSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /docs/openapi.json` and `GET /docs`: the API documentation. */
export function registerDocsRoutes(
  app: FastifyInstance,
  { operations }: Service,
  about: DescribeApiOptions,
): void {
  // Created on first use, because it takes longer than the rest of the start.
  const api = lazy(() => {
    const contracts = [...operations.values()].map(({ operation }) => operation)
    return describeApi(contracts, about)
  })
  const document = lazy(() => new StaticDocument('application/json; charset=utf-8', JSON.stringify(api())))
  const page = lazy(() => new StaticDocument('text/html; charset=utf-8', renderDocsPage(api()).text))
  app.get(rawRoutes.openapi.path, (request, reply) => document().send(request, reply))
  app.get(rawRoutes.documents.path, (request, reply) =>
    page().send(request, reply.header('content-security-policy', docsSecurityPolicy)),
  )
}

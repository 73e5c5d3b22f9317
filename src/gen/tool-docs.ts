import type { ErrorCode } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'
import { fieldRows, type FieldRow } from '../http/openapi-fields.ts'
import type { Tool, ToolDefinition } from '../mcp/tool.ts'
import { allTools } from '../mcp/tool-selection.ts'
import { markdownTable } from '../platform/text-formats.ts'

/** Codes that any tool may answer; the page names them once. */
export const commonToolErrors: readonly ErrorCode[] = [6016, 6032, 6401, 6402, 6500, 6502]

/** The page about every tool, in the order agents see them. */
export function toolsPage(operations: readonly Operation[]): string {
  const tools = [...allTools(operations).values()]
  const links = tools.map(({ definition: { name }, toolset }) => [
    `[\`${name}\`](#${name})`,
    toolset ?? 'always there',
  ])
  return [
    '# Tools',
    'Written by `npm run gen` from what agents are told. What each tool publishes to them is in [tools](tools), a file a tool.',
    markdownTable(['Tool', 'Toolset'], links),
    'File fields take an absolute path, a path in the workspace, or a file id. Nested values may come as JSON in a string. ' +
      `Errors are text: \`CODE: what. Fix: … Retryable: yes|no\`. Beside those of each tool, any may answer ${commonToolErrors.join(', ')}; [errors.md](errors.md) tells what each means.`,
    ...tools.map(toolSection),
  ].join('\n\n')
}

/** What a tool publishes, to be compared in reviews. */
export function publishedJson(definition: ToolDefinition): string {
  return `${JSON.stringify(definition, null, 2)}\n`
}

function toolSection({ definition, example, errors, toolset }: Tool): string {
  const { name, title, description, inputSchema, annotations } = definition
  const fields = [...fieldRows(inputSchema)]
  const own = [...new Set(errors)]
    .filter((code) => !commonToolErrors.includes(code))
    .toSorted((a, b) => a - b)
  const hints = Object.entries(annotations).flatMap(([hint, value]) =>
    typeof value === 'boolean' ? [`${hint} ${value ? 'yes' : 'no'}`] : [],
  )
  return [
    `## ${name}`,
    `**${title}.** ${description}`,
    fields.length === 0 ? 'It takes no arguments.' : argumentsTable(fields),
    `\`\`\`json\n${JSON.stringify({ name, arguments: example }, null, 2)}\n\`\`\``,
    ...(own.length > 0 ? [`Errors of its own: ${own.join(', ')}.`] : []),
    `Toolset: ${toolset ?? 'none, always there'}. Annotations: ${hints.join(', ')}.`,
  ].join('\n\n')
}

function argumentsTable(fields: readonly FieldRow[]): string {
  const rows = fields.map(({ path: place, type, required, constraints: facts, description }) => [
    `\`${place}\`${required ? ' (required)' : ''}`,
    type,
    facts,
    description,
  ])
  return markdownTable(['Argument', 'Type', 'Bounds and default', 'Meaning'], rows)
}

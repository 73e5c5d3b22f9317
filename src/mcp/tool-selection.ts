import { MediaError } from '../contract/errors.ts'
import type { Operation, Toolset } from '../contract/operation.ts'
import type { Tool, ToolDefinition } from './tool.ts'
import { downloadFileTool, uploadFileTool } from './tools/file-tools.ts'
import { inspectFileTool } from './tools/inspect-tool.ts'
import { operationTool } from './tools/operation-tool.ts'
import { serviceStatusTool } from './tools/status-tool.ts'
import { cancelTaskTool, getTaskTool, listTasksTool } from './tools/task-tools.ts'

/** Which tools are wanted; what is left out narrows nothing. */
export interface ToolFilter {
  readonly toolsets?: readonly Toolset[] | undefined
  /** By name, beside those of the toolsets. */
  readonly tools?: readonly string[] | undefined
  /** Only tools that change nothing. */
  readonly readOnly?: boolean | undefined
}

/** The tools of a server. */
export interface ToolSelection {
  readonly listed: readonly ToolDefinition[]
  /** A tool by its name; one that is left out refuses every call, and tells how it comes back. */
  find(name: string): Tool | undefined
}

/**
 * Narrows tools to those that are wanted. Tools without a toolset stay with any choice of toolsets and
 * tools, as the others' answers point to them. Throws 6016 for names of tools that nobody knows.
 */
export function selectTools(all: ReadonlyMap<string, Tool>, choice: ToolFilter = {}): ToolSelection {
  const unknown = (choice.tools ?? []).filter((name) => !all.has(name))
  if (unknown.length > 0) {
    throw new MediaError(6016, `There is no tool ${unknown.join(', ')}`, {
      hint: `Correct --tools; there are: ${[...all.keys()].join(', ')}.`,
    })
  }
  const offered = [...all.values()].map((tool) => {
    const why = exclusionOf(tool, choice)
    return { tool: why === undefined ? tool : excludedTool(tool, why), isListed: why === undefined }
  })
  const byName = new Map(offered.map(({ tool }) => [tool.definition.name, tool]))
  return {
    listed: offered.flatMap(({ tool, isListed }) => (isListed ? [tool.definition] : [])),
    find: (name) => byName.get(name),
  }
}

/** What about a choice leaves a tool out, and how to have it; undefined where nothing does. */
interface Exclusion {
  readonly what: string
  readonly fix: string
}

function exclusionOf({ definition, toolset }: Tool, choice: ToolFilter): Exclusion | undefined {
  const { toolsets, tools, readOnly = false } = choice
  if (readOnly && !definition.annotations.readOnlyHint) {
    return { what: 'is read-only', fix: 'Leave out --read-only (REELWRIGHT_READ_ONLY, read_only)' }
  }
  const narrowed = toolsets !== undefined || tools !== undefined
  const isWanted = toolset !== undefined && toolsets?.includes(toolset)
  if (!narrowed || toolset === undefined || isWanted || tools?.includes(definition.name)) return undefined
  const offers = [...(toolsets ?? []).map((name) => `the toolset ${name}`), ...(tools ?? [])]
  return {
    what: `offers ${offers.join(', ') || 'no toolset'} alone`,
    fix:
      `Add ${toolset} to --toolsets (REELWRIGHT_TOOLSETS, toolsets) or ${definition.name} to --tools ` +
      '(REELWRIGHT_TOOLS, tools)',
  }
}

function excludedTool(tool: Tool, { what, fix }: Exclusion): Tool {
  return {
    ...tool,
    async run() {
      throw new MediaError(6016, `${tool.definition.name} is left out here: this server ${what}`, {
        hint: `${fix}, and start the server again; only whoever configures it can.`,
      })
    },
  }
}

/** Every tool by name, in the order agents see them. */
export function allTools(operations: readonly Operation[]): ReadonlyMap<string, Tool> {
  const tools = [
    ...operations.map((operation) => operationTool(operation)),
    uploadFileTool,
    inspectFileTool,
    downloadFileTool,
    getTaskTool,
    listTasksTool,
    cancelTaskTool,
    serviceStatusTool,
  ]
  return new Map(tools.map((tool) => [tool.definition.name, tool]))
}

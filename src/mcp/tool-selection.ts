import { MediaError } from '../contract/errors.ts'
import type { Operation, Toolset } from '../contract/operation.ts'
import type { Tool, ToolDefinition } from './tool.ts'
import { answerQuestionsTool } from './tools/answer-tool.ts'
import { downloadFileTool, uploadFileTool } from './tools/file-tools.ts'
import { inspectFileTool } from './tools/inspect-tool.ts'
import { operationTool } from './tools/operation-tool.ts'
import { serviceStatusTool } from './tools/status-tool.ts'
import { cancelTaskTool, getTaskTool, listTasksTool } from './tools/task-tools.ts'

/** Filter of the published tools. Absent fields do not filter. */
export interface ToolFilter {
  readonly toolsets?: readonly Toolset[] | undefined
  /** Tool names, in addition to the toolsets. */
  readonly tools?: readonly string[] | undefined
  /** Only read-only tools. */
  readonly readOnly?: boolean | undefined
}

/** The tools of a server. */
export interface ToolSelection {
  readonly listed: readonly ToolDefinition[]
  /** Finds a tool by name. A filtered tool rejects every call and explains how to enable it. */
  find(name: string): Tool | undefined
}

/**
 * Applies a filter. Tools without a toolset remain under any choice of toolsets and tools, as other tools refer to them.
 * Throws 6016 for unknown tool names.
 */
export function selectTools(all: ReadonlyMap<string, Tool>, choice: ToolFilter = {}): ToolSelection {
  const unknown = (choice.tools ?? []).filter((name) => !all.has(name))
  if (unknown.length > 0) {
    throw new MediaError(6016, `There is no tool ${unknown.join(', ')}`, {
      hint: `Correct --tools. Available: ${[...all.keys()].join(', ')}.`,
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

/** Reason why a tool is filtered out, and how to enable it. */
interface Exclusion {
  readonly what: string
  readonly fix: string
}

function exclusionOf({ definition, toolset, alsoIn = [] }: Tool, choice: ToolFilter): Exclusion | undefined {
  const { toolsets, tools, readOnly = false } = choice
  if (readOnly && !definition.annotations.readOnlyHint) {
    return { what: 'is read-only', fix: 'Remove --read-only (REELWRIGHT_READ_ONLY, read_only)' }
  }
  const narrowed = toolsets !== undefined || tools !== undefined
  const isWanted = toolset !== undefined && [toolset, ...alsoIn].some((name) => toolsets?.includes(name))
  if (!narrowed || toolset === undefined || isWanted || tools?.includes(definition.name)) return undefined
  const offers = [...(toolsets ?? []).map((name) => `the toolset ${name}`), ...(tools ?? [])]
  return {
    what: `offers only ${offers.join(', ') || 'tools without a toolset'}`,
    fix:
      `Add ${toolset} to --toolsets (REELWRIGHT_TOOLSETS, toolsets) or ${definition.name} to --tools ` +
      '(REELWRIGHT_TOOLS, tools)',
  }
}

function excludedTool(tool: Tool, { what, fix }: Exclusion): Tool {
  return {
    ...tool,
    async run() {
      throw new MediaError(6016, `${tool.definition.name} is disabled: this server ${what}`, {
        hint: `${fix}, and restart the server. Only the operator can do this.`,
      })
    },
  }
}

/** All tools by name, in published order. */
export function allTools(operations: readonly Operation[]): ReadonlyMap<string, Tool> {
  const tools = [
    ...operations.map((operation) => operationTool(operation)),
    uploadFileTool,
    inspectFileTool,
    downloadFileTool,
    getTaskTool,
    answerQuestionsTool,
    listTasksTool,
    cancelTaskTool,
    serviceStatusTool,
  ]
  return new Map(tools.map((tool) => [tool.definition.name, tool]))
}

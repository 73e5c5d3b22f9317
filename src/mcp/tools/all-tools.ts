import type { Operation } from '../../contract/operation.ts'
import type { Tool } from '../tool.ts'
import { cancelTaskTool } from './cancel-tool.ts'
import { downloadFileTool } from './download-tool.ts'
import { inspectFileTool } from './inspect-tool.ts'
import { operationTool } from './operation-tool.ts'
import { serviceStatusTool } from './status-tool.ts'
import { getTaskTool, listTasksTool } from './task-tools.ts'
import { uploadFileTool } from './upload-tool.ts'

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

import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { errorTable, isErrorCode } from '../src/contract/errors.ts'
import { extensionsByKind } from '../src/contract/file-kind.ts'
import { fileDetails, fileRecord, maxFileBytes, retentionDays } from '../src/contract/file.ts'
import { endpoints } from '../src/contract/routes.ts'
import {
  isTerminal,
  nextStates,
  taskCreated,
  taskList,
  taskListItem,
  taskListQuery,
  taskRecord,
  taskStates,
  type TaskState,
} from '../src/contract/task.ts'
import { operationTool } from '../src/mcp/tools/operation-tool.ts'
import { canvasSize } from '../src/media/layout/canvas.ts'
import { commonToolErrors } from '../src/gen/tool-docs.ts'
import { operations } from '../tools/index.ts'
import * as common from './contract/common.ts'
import { fieldsOf, parameterLaws } from './contract/laws.ts'
import { operationTables } from './contract/operations.ts'
import { outputSizes } from './contract/video-split-screen.ts'

// Compares the tables of the contract documents, transcribed in test/contract, with the code.

const responses: readonly [string, z.ZodType, object][] = [
  ['file record', fileRecord, common.fileRecordFields],
  ['file details', fileDetails, common.fileDetailsFields],
  // Our extension, only for requests with Prefer: join-identical.
  ['creation result', taskCreated.omit({ joined: true }), common.taskCreatedFields],
  // Our extensions: what a running task waits for, such as a download, and questions to its agent.
  ['query result', taskRecord.omit({ note: true, questions_open: true }), common.taskRecordFields],
  ['list item', taskListItem.omit({ questions_open: true }), common.taskListItemFields],
  ['list', taskList, common.taskListFields],
]

describe('document 1', () => {
  it.each(responses)('%s has the documented fields', (_, schema, fields) => {
    expect(fieldsOf(schema)).toEqual(fields)
  })

  it.each(common.endpoints)('%s exists', (endpoint) => {
    expect(Object.values(endpoints).map(({ method, path }) => `${method} ${path}`)).toContain(endpoint)
  })

  it('states: only created and queued tasks can be cancelled, three states are final', () => {
    expect(taskStates).toEqual(common.states)
    expect(taskStates.filter(isTerminal)).toEqual(common.terminalStates)
    const cancellable = taskStates.filter((state: TaskState) => nextStates[state].includes('cancelled'))
    expect(cancellable).toEqual(common.cancellableStates)
    expect(taskStates.filter((state) => !isTerminal(state))).toEqual(common.stoppableStates)
  })

  it('uploads: extensions, size and retention', () => {
    expect(extensionsByKind).toMatchObject(common.uploadExtensions)
    expect(maxFileBytes).toBe(common.limits.uploadBytes)
    expect(retentionDays).toBe(common.limits.retentionDays)
  })

  it('task list query: the documented parameters and no others, with their defaults', () => {
    const written = common.listParameters.map(({ at }) => at)
    expect(Object.keys(taskListQuery.shape)).toEqual(written)
    const standards = common.listParameters.map(({ at, standard }) => [at, standard] as const)
    expect(taskListQuery.parse({})).toEqual(
      Object.fromEntries(standards.filter(([, standard]) => standard !== undefined)),
    )
    expect(taskListQuery.parse({}).page_size).toBe(common.limits.pageSize)
  })

  it.each(common.listParameters)(
    'task list query: values of $at',
    ({ at, values = [], accepts = values, refuses = [] }) => {
      const isAccepted = (value: unknown) => taskListQuery.safeParse({ [at]: value }).success
      expect(accepts.filter((value) => !isAccepted(value))).toEqual([])
      expect(refuses.filter(isAccepted)).toEqual([])
    },
  )

  it.each([...common.errorCodes, ...common.ownErrorCodes])(
    'error $code has status $status',
    ({ code, status }) => {
      expect(isErrorCode(code) && errorTable[code].status).toBe(status)
    },
  )

  it('every error code is documented', () => {
    const documented = [...common.errorCodes, ...common.ownErrorCodes].map(({ code }) => code)
    expect(Object.keys(errorTable).map(Number)).toEqual(documented.toSorted((a, b) => a - b))
  })
})

it('every operation has tables here', () => {
  const built = operations.map((module) => module.operation.name)
  expect(operationTables.map((table) => table.operation)).toEqual(built)
})

describe.each(operationTables)('document $section: $operation', (table) => {
  const operation = operations.find((module) => module.operation.name === table.operation)?.operation
  if (!operation) throw new Error(`${table.operation} is not built`)

  it('has the documented parameters and no others', () => {
    const topLevel = table.parameters.filter(({ at }) => !at.includes('.'))
    const written = Object.fromEntries(
      topLevel.map(({ at, type, required }) => [at, required ? type : `${type}, optional`]),
    )
    expect(fieldsOf(operation.input, '', 'input')).toEqual(written)
  })

  for (const row of table.parameters) parameterLaws(operation, table, row)

  it('declares exactly the codes of its table, and no limits of other operations', () => {
    const listed = [...table.refusals, ...(table.limits ?? [])].map(({ code }) => code)
    const declared = [...operationTool(operation).errors, ...commonToolErrors]
    expect(listed.filter((code) => !declared.some((one) => one === code))).toEqual([])
    const limits = [6019, 6022, 6023, 6035]
    expect(declared.filter((code) => limits.includes(code) && !listed.includes(code))).toEqual([])
  })

  it('has the documented result', () => {
    expect(fieldsOf(operation.output)).toEqual({ ...table.result, ...table.resultAdditions })
    for (const [at, fields] of Object.entries(table.resultParts)) {
      expect(fieldsOf(operation.output, at)).toEqual(fields)
    }
  })

  it.each([...table.refusals, ...(table.limits ?? []), ...(table.unavailable ?? [])])(
    '$code has status $status',
    ({ code, status }) => {
      expect(isErrorCode(code) && errorTable[code].status).toBe(status)
    },
  )
})

it('document 2, 4.8: output sizes', () => {
  const sizes = (ratio: keyof typeof outputSizes, quality: '720p' | '1080p') => {
    const { width, height } = canvasSize(ratio, quality)
    return [width, height]
  }
  for (const [ratio, expected] of Object.entries(outputSizes) as [keyof typeof outputSizes, object][]) {
    expect({ '720p': sizes(ratio, '720p'), '1080p': sizes(ratio, '1080p') }).toEqual(expected)
  }
})

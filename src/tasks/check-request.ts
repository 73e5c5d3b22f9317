import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { accountType } from '../accounts/accounts.ts'
import type { Caller } from '../accounts/keys.ts'
import { validateLongLists } from '../contract/bounded-list.ts'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file-kind.ts'
import { findFileRefs, wrongKindError, type FileReference } from '../contract/file.ts'
import { readBody, omitNulls } from '../contract/validation.ts'
import {
  type Operation,
  type OperationModule,
  type RequestFile,
  requestFiles,
  type RequestFiles,
} from '../contract/operation.ts'
import type { Answerer } from '../contract/questions.ts'
import type { Priority } from '../contract/task.ts'
import type { FileRow } from '../db/schema.ts'
import { readinessError, requireAll, requireNamedVoice } from '../engines/readiness.ts'
import { readFileBytes } from '../files/content.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findOwnFile } from '../files/records.ts'
import { estimateTask } from './estimate.ts'
import { planOperation } from './plan-operation.ts'
import type { Service } from './service.ts'

/** A request of an operation whose fields are checked. */
export interface CheckedRequest {
  readonly module: OperationModule
  readonly input: Record<string, unknown>
}

/** Checks what needs no file: the task type and the fields. Throws 6013 and 6016. */
export async function checkFields(
  service: Service,
  { type, body }: { type: string; body: unknown },
): Promise<CheckedRequest> {
  const module = findOperation(service, type)
  const { input, examples } = module.operation
  const read = readFields(module.operation, body)
  if (typeof read === 'object' && read !== null) await validateLongLists(input, read, nextTurn)
  return { module, input: readBody(input, read, examples[0].input) }
}

/** What a request would cost and take. */
export interface RequestPlan {
  readonly fileIds: readonly string[]
  readonly credits: number
  readonly plannedMs: number
  readonly workMs: number
  readonly waitMs: number
}

/**
 * Checks the files of a request and plans it, without writing anything. Throws in the contract's order: 6016 and 6017
 * for a voice that is not in the catalogue, 6401,
 * 6004, 6014, 6017 and 6021, limits, 6016 for the content of texts (6032 if too many wait to be read), 6401 for
 * requirements that depend on these files or parameters.
 */
export async function planRequest(
  service: Service,
  caller: Caller,
  request: CheckedRequest & {
    readonly priority: Priority
    readonly answersBy: Answerer
    readonly signal: AbortSignal | undefined
  },
): Promise<RequestPlan> {
  const { module, input, priority, answersBy, signal } = request
  const { requirements } = await module.requirements()
  await requireNamedVoice(requirements(input))
  // What every request needs comes before the files, unless this request needs less.
  const options = { answersBy }
  if (await readinessError(module, options)) await requireAll(requirements(input), options)
  const files = await checkFiles(service, caller, { operation: module.operation, input })
  const { accountId } = caller
  const planned = { input, files, fileIds: files.ids, readText: files.readText, accountId, signal }
  const { credits: price, seconds, secondsWith = {} } = await planOperation(module, planned)
  const credits = (await isFree(service, caller, module)) ? 0 : price
  const engines = await requireAll(requirements(input, files), options)
  const [chosenSeconds = seconds] = [...engines.values()].flatMap((name) => secondsWith[name] ?? [])
  const plannedMs = Math.ceil(chosenSeconds * 1000)
  const estimate = await estimateTask(service, caller, { type: module.operation.name, plannedMs, priority })
  return { fileIds: files.ids, credits, plannedMs, ...estimate }
}

/** Whether an operation is free for the account of a caller. */
async function isFree(
  { db }: Pick<Service, 'db'>,
  { accountId }: Caller,
  { operation }: OperationModule,
): Promise<boolean> {
  return operation.isFreeForInternalAccounts === true && (await accountType(db, accountId)) === 'internal'
}

function findOperation(service: Service, type: string): OperationModule {
  const module = service.operations.get(type)
  if (module) return module
  const known = [...service.operations.keys()].join(', ')
  throw new MediaError(6016, `there is no task type ${JSON.stringify(type)}; there are: ${known}`, {
    hint: 'Name one of these in the path: /task/{task_type}.',
  })
}

/** Checks a body against an operation's schema; of its kind, where there are several. Throws the general codes. */
export function validateBody(operation: Operation, body: unknown): Record<string, unknown> {
  return readBody(operation.input, readFields(operation, body), operation.examples[0].input)
}

/** The fields that the kind of request reads; the body itself when it is no object or all fields are read. */
function readFields({ selectFields }: Operation, body: unknown): unknown {
  const isSelected = selectFields && typeof body === 'object' && body !== null && !Array.isArray(body)
  return isSelected ? selectFields(omitNulls(body)) : body
}

interface CheckedFiles extends RequestFiles {
  readonly ids: readonly string[]
  /** Returns the bytes of a text file. */
  readonly readText: (fileId: string) => Promise<Uint8Array>
}

async function checkFiles(
  service: Service,
  caller: Caller,
  request: { operation: Operation; input: Record<string, unknown> },
): Promise<CheckedFiles> {
  const references = findFileRefs(request.operation.input, request.input)
  const ids = [...new Set(references.map((reference) => String(reference.value)))]
  const rows = []
  for (const id of ids) {
    try {
      rows.push(await findOwnFile(service.db, { accountId: caller.accountId, id, now: service.clock() }))
    } catch (error) {
      throw addFieldPath(error, references, id)
    }
  }
  for (const row of rows) checkFileKind(row, references)
  const byId = new Map<string, RequestFile & { readonly row: FileRow }>()
  for (const row of rows) {
    const soundAlone = references.every(({ value, soundAlone: is }) => value !== row.id || is === true)
    try {
      byId.set(row.id, { ...(await probeStoredFile(service, row, { audioOnly: soundAlone })), row })
    } catch (error) {
      throw isContentError(error) ? addFieldPath(error, references, row.id) : error
    }
  }
  const files = requestFiles(byId)
  return { ...files, ids, readText: (id) => readFileBytes(service.files, files.get(id).row) }
}

/** Whether an error is about the content of a file. */
function isContentError(error: unknown): boolean {
  return error instanceof MediaError && [6014, 6017, 6021].includes(error.code)
}

/** Prefixes an error with the place where a request names the file. */
function addFieldPath(error: unknown, references: readonly FileReference[], id: string): unknown {
  const reference = references.find(({ value }) => value === id)
  return error instanceof MediaError && reference ? error.at(z.core.toDotPath(reference.path)) : error
}

function checkFileKind(row: FileRow, references: readonly FileReference[]): void {
  const kind = kindOf(row.ext)
  const refused = references.find(({ value, kinds }) => value === row.id && !kinds.some((k) => k === kind))
  if (!refused) return
  throw wrongKindError(refused, row.name)
}

import * as z from 'zod'
import { downloadSmallFile } from '../client/preview.ts'
import type { AgentFile, AgentRequest } from '../contract/agent-form.ts'
import { MediaError } from '../contract/errors.ts'
import { type FileKind, fileKinds, kindOf } from '../contract/file-kind.ts'
import { type FileReference, findFileRefs } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { maxRegionsBytes } from '../contract/regions.ts'
import { routes } from '../contract/routes.ts'
import { validateArguments } from './arguments.ts'
import type { JobContext } from './background-jobs.ts'
import { setAt } from './nested-values.ts'
import { normalizeArguments } from './normalize-arguments.ts'
import { checkKind } from './prepare-input.ts'
import type { Session } from './session.ts'
import { isPath, openFiles, uploadFiles } from './upload-files.ts'

/** A call of an operation whose tool accepts more than the contract. */
interface AgentCall {
  readonly operation: Operation
  /** Normalized by the tool's schema. */
  readonly args: Record<string, unknown>
}

/** Files whose facts or text the conversion of a call needs; none for operations without an agent form. */
export function neededFiles({ operation, args }: AgentCall): readonly string[] {
  return [...new Set(operation.agentForm?.neededFiles?.(args) ?? [])]
}

/**
 * Converts a call to the request of the HTTP contract. Uploads the files that the conversion needs and asks the service
 * for their facts. Throws 6013 and 6016 for invalid arguments before anything is uploaded.
 */
export async function toContractRequest(
  session: Session,
  { operation, args }: AgentCall,
  context: JobContext,
): Promise<AgentRequest> {
  const { agentForm } = operation
  if (!agentForm) return { request: args, assumed: [] }
  validateBeforeUpload(operation, args)
  const files = await fetchAgentFiles(session, { operation, args }, context)
  const { request, assumed } = agentForm.toRequest(args, files)
  const normalized = normalizeArguments(operation.input, request)
  return { request: normalized.args, assumed: [...assumed, ...normalized.assumed] }
}

/** Replaces files during validation: a path may be longer than an id. */
const placeholder = '0'

/**
 * Validates what needs no file: the fields that only the tool has, their combination, and if the conversion uploads
 * files, also the given fields of the contract. Otherwise those are validated after the conversion.
 */
function validateBeforeUpload(operation: Operation, args: Readonly<Record<string, unknown>>): void {
  const { agentForm } = operation
  if (!agentForm) return
  const needsFiles = neededFiles({ operation, args }).length > 0
  const fields = Object.entries(agentForm.input.shape as z.ZodRawShape).filter(
    ([name]) => agentForm.own.includes(name) || (needsFiles && !isAbsent(args[name])),
  )
  const schema = z.object(Object.fromEntries(fields))
  const values = structuredClone(Object.fromEntries(fields.map(([name]) => [name, args[name]])))
  for (const { path, value } of findFileRefs(schema, values)) {
    if (typeof value === 'string' && value !== '') setAt(values, path, placeholder)
  }
  validateArguments(schema, values)
  agentForm.checkForm?.(args)
}

/** Whether a value is absent or empty: some clients fill in every field. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The error with the names of fields that the call used, where the contract has others. */
export function withCallNames(error: unknown, { operation, args }: AgentCall): unknown {
  const { restoreNames } = operation.agentForm ?? {}
  if (!(error instanceof MediaError) || !restoreNames) return error
  const { code, retryable, retryAfter } = error
  const [message, hint] = [restoreNames(error.message, args), restoreNames(error.hint, args)]
  if (message === error.message && hint === error.hint) return error
  return new MediaError(code, message, { cause: error, hint, retryable, retryAfter })
}

async function fetchAgentFiles(
  session: Session,
  call: AgentCall,
  context: JobContext,
): Promise<ReadonlyMap<string, AgentFile>> {
  const names = neededFiles(call)
  const input = call.operation.agentForm?.input ?? call.operation.input
  const references = findFileRefs(input, call.args)
  const arePaths = await Promise.all(names.map((name) => isPath(session, name)))
  const kindsOf = (name: string): readonly FileKind[] =>
    references.find(({ value }) => value === name)?.kinds ?? fileKinds
  const paths = new Map(names.filter((_, index) => arePaths[index]).map((name) => [name, kindsOf(name)]))
  await using opened = await openFiles(session, paths, (error, path) => withField(error, path, references))
  for (const reference of references) checkKind(reference, opened.byPath.get(String(reference.value)))
  const records = await uploadFiles(session, opened, context)
  const described = new Map<string, AgentFile>()
  for (const name of names) {
    const fileId = records.get(name)?.file_id ?? name
    described.set(name, await fetchAgentFile(session, fileId, context.signal))
  }
  return described
}

/** Adds the field to the error of a file that cannot be opened. */
function withField(error: unknown, path: string, references: readonly FileReference[]): unknown {
  const reference = references.find(({ value }) => value === path)
  return error instanceof MediaError && reference ? error.at(z.core.toDotPath([...reference.path])) : error
}

/** Facts or text of a stored file. */
export async function fetchAgentFile(
  { client }: Pick<Session, 'client'>,
  file_id: string,
  signal: AbortSignal,
): Promise<AgentFile> {
  const details = await client.call(routes.fileDetails, { params: { file_id }, signal })
  const kind = kindOf(details.base_ext.toLowerCase())
  const name = details.original_name
  if (kind === 'text') {
    const bytes = await downloadSmallFile(client, details, { maxBytes: maxRegionsBytes, signal })
    return { name, kind, facts: null, text: bytes.toString('utf8') }
  }
  const { media } = await client.call(routes.inspectFile, { params: { file_id }, signal })
  return { name, kind, facts: media }
}

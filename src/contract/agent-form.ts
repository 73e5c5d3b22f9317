import * as z from 'zod'
import type { FileKind } from './file-kind.ts'
import type { MediaFacts } from './media-facts.ts'
import { type AnySchema, unwrapSchema } from './suggest-fix.ts'

/** How MCP tools read and publish a field. Over HTTP it has no effect. */
interface AgentField {
  /**
   * colour: also accepts CSS names; language: also accepts names and short codes of languages; box: a rectangle in
   * shares of the picture, for which pixels are explained.
   */
  readonly kind?: 'colour' | 'language' | 'box'
  /** Values by the names that people use: lower case, words separated by one space. */
  readonly names?: Readonly<Record<string, string>>
  /** Names that tools publish, by value. */
  readonly published?: Readonly<Record<string, string>>
  /** Lists the type only: the resource of the operation contains the full schema. */
  readonly isBrief?: true
  /** Accepted, but not in the list of tools: the field is ignored, or has one meaningful value. */
  readonly isUnlisted?: true
  /** Names of arguments, in lower case, that may equally mean each of the fields: they are rejected with both. */
  readonly ambiguous?: { readonly names: readonly string[]; readonly fields: readonly string[] }
}

const agentFields = z.registry<AgentField>()

/** Declares how MCP tools read a field. Call it before `.optional()` and `.default()`. */
export function agentField<Schema extends z.ZodType>(schema: Schema, field: AgentField): Schema {
  agentFields.add(schema, field)
  return schema
}

/** Text as names of values are written: lower case, words separated by one space. */
export function plainText(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
}

/** How MCP tools read a field declared by `agentField`; undefined for other fields. */
export function agentFieldOf(schema: z.core.$ZodType): AgentField | undefined {
  return agentFields.get(schema as z.ZodType)
}

/** A file that a call names, as `AgentForm.toRequest` needs it. */
export interface AgentFile {
  readonly name: string
  readonly kind: FileKind | undefined
  /** Null for text and for files that no probe supports. */
  readonly facts: MediaFacts | null
  /** Content of a text file. */
  readonly text?: string
}

/** A call converted to the request of the HTTP contract. */
export interface AgentRequest {
  readonly request: Record<string, unknown>
  /** What was derived or chosen, one sentence each. */
  readonly assumed: readonly string[]
}

type AgentArguments = Readonly<Record<string, unknown>>

/** Arguments of an operation's MCP tool, where the tool accepts more than the HTTP contract. */
export interface AgentForm {
  /** Published input of the tool, instead of the contract's. */
  readonly input: z.ZodObject
  /** Names of fields that are not the contract's. They are validated before `toRequest`. */
  readonly own: readonly string[]
  /** Throws 6013 and 6016 for combinations of fields that cannot be converted. Runs before files are read. */
  checkForm?(args: AgentArguments): void
  /** Replaces names of the contract's fields in the text of an error by those that the call used. */
  restoreNames?(text: string, args: AgentArguments): string
  /** Returns the files, as the arguments name them, whose facts or text `toRequest` needs. By default none. */
  neededFiles?(args: AgentArguments): readonly string[]
  /** Converts a call. Pure. Throws 6013 and 6016 for arguments that cannot be converted. */
  toRequest(args: AgentArguments, files: ReadonlyMap<string, AgentFile>): AgentRequest
}

/** Whether a field of an object is not listed, also if it is optional or has a default. */
export function isUnlistedField(field: AnySchema | undefined): boolean {
  if (field === undefined) return false
  return [field, unwrapSchema(field)].some((schema) => agentFieldOf(schema)?.isUnlisted === true)
}

import * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import type { FileKind } from './file-kind.ts'
import { fileKindsOf } from './file.ts'
import type { Operation } from './operation.ts'

/** Whether an operation probes files, and can therefore find them damaged. */
export function probesFiles({ input }: Operation): boolean {
  return [...acceptedFileKinds(input)].some((kind) => kind !== 'text' && kind !== 'midi')
}

/** Error codes that creating a task of an operation may return, besides those of every request. */
export function creationErrorCodes(operation: Operation): readonly ErrorCode[] {
  const { input, price, errorAliases, limits = [], synchronous } = operation
  const kinds = acceptedFileKinds(input)
  const codes: readonly ErrorCode[] = [
    6013,
    ...(kinds.size > 0 ? ([6004, 6014] as const) : []),
    ...(probesFiles(operation) ? ([6017, 6021] as const) : []),
    ...limits,
    ...(price.credits > 0 ? ([6201, 6202] as const) : []),
    // Its creation returns the result, also of a task that was stopped.
    ...(synchronous ? ([6009] as const) : []),
  ]
  return [...new Set(codes.map((code) => (limits.includes(code) ? code : (errorAliases?.[code] ?? code))))]
}

/** Kinds of files that a request can refer to. */
export function acceptedFileKinds(input: z.ZodObject): ReadonlySet<FileKind> {
  const kinds = new Set<FileKind>()
  z.toJSONSchema(input, {
    io: 'input',
    override({ zodSchema }) {
      for (const kind of fileKindsOf(zodSchema) ?? []) kinds.add(kind)
    },
  })
  return kinds
}

import { describe, expect, it } from 'vitest'
import { edit, foreignFolder, foreignProject } from './foreign.ts'
import type { ReadOptions, ReadProject } from './readers/read-project.ts'

/** A change that breaks a rule, and the start of the message that rejects it. */
type Break = readonly [name: string, changes: readonly (readonly [string, string])[], message: string]

interface ForeignFile {
  readonly file: string
  readonly read: (text: string, options?: ReadOptions) => ReadProject
  readonly tolerate?: readonly string[]
  readonly breaks: readonly Break[]
}

/** Declares tests that break projects of other programs: each must be rejected with the right reason. */
export function rejectsBroken(format: string, files: readonly ForeignFile[]): void {
  describe.skipIf(foreignFolder === undefined)(`broken ${format} projects (REELWRIGHT_TESTDATA)`, () => {
    for (const { file, read, tolerate = [], breaks } of files) {
      it.each(breaks)(`rejects ${file} with %s`, (_name, changes, message) => {
        const text = edit(foreignProject(file), ...changes)
        const problem = messageOf(() => read(text, { tolerate }))
        expect(problem.slice(0, message.length)).toBe(message)
      })
    }
  })
}

/** Returns the message of the error that a call throws; empty when it throws none. */
function messageOf(call: () => unknown): string {
  try {
    call()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

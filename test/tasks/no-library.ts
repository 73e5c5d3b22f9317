import type { LibraryAccess } from '../../src/contract/operation.ts'

/** The library of runs that search none. */
export const noLibrary: LibraryAccess = {
  find: () => Promise.reject(new Error('this run has no library')),
  grant: () => undefined,
}

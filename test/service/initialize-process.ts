import { enableUserCompileCache, reduceBufferMemory } from '../../src/platform/runtime.ts'

/** Initialises a test process like src/main.ts. Import everything else afterwards. */
export function initializeProcess({ streams = true }: { readonly streams?: boolean } = {}): void {
  if (streams) reduceBufferMemory()
  enableUserCompileCache()
}

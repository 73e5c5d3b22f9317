import { enableUserCompileCache, reduceBufferMemory } from '../../src/platform/runtime.ts'

/** Begins a process of tests that stands for the product's as src/main.ts does; what it needs is imported after that. */
export function beginAsMain(): void {
  reduceBufferMemory()
  enableUserCompileCache()
}

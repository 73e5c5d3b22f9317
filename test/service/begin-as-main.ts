import { freeBuffersSoon } from '../../src/platform/buffer-memory.ts'
import { keepCompiled } from '../../src/platform/compile-cache.ts'

/** Begins a process of tests that stands for the product's as src/main.ts does; what it needs is imported after that. */
export function beginAsMain(): void {
  freeBuffersSoon()
  keepCompiled()
}

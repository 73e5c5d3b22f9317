/** Loaded first (`--import`) by processes of tests that stand for the product's: begins them as src/main.ts does. */
import { freeBuffersSoon } from '../../src/platform/buffer-memory.ts'

freeBuffersSoon()

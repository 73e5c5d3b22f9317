import type { OperationTables } from './tables.ts'
import { videoSplitScreen } from './video-split-screen.ts'

/** The tables of each operation that is built. */
export const operationTables: readonly OperationTables[] = [videoSplitScreen]

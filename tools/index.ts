// Written by `npm run gen` from the folders of tools/.
import type { OperationModule } from '../src/contract/operation.ts'
import { videoSplitScreen } from './video-split-screen/contract.ts'

/** Every operation that is built; plans and runs are loaded when first used. */
export const operations: readonly OperationModule[] = [
  {
    operation: videoSplitScreen,
    plan: () => import('./video-split-screen/plan.ts'),
    run: () => import('./video-split-screen/run.ts'),
  },
]

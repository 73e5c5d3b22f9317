import { creditsFor } from '../../src/contract/credits.ts'
import type { PlanOperation } from '../../src/contract/operation.ts'
import { materialSearch } from './contract.ts'

/** Expected seconds: loading the embedding model, and the search. */
const expectedSeconds = 3

/** Prices one search. */
export const plan: PlanOperation<typeof materialSearch> = () => ({
  credits: creditsFor(materialSearch.price, 1),
  seconds: expectedSeconds,
})

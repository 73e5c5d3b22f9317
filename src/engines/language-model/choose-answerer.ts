import type { OperationModule } from '../../contract/operation.ts'
import type { Answerer } from '../../contract/questions.ts'
import { configuredService } from '../services/configured.ts'
import type { AgentAnswers } from '../services/services.ts'

/** Returns who answers the questions of callers. `offersAnswers`: whether the caller offers to answer them. */
export function chooseAnswerer(
  { agentAnswers }: { readonly agentAnswers: AgentAnswers },
  offersAnswers: boolean,
): Answerer {
  if (configuredService('language_model') !== undefined || agentAnswers === 'never') return null
  return agentAnswers === 'always' || offersAnswers ? 'agent' : null
}

/** Whether a request asks a language model. */
export async function asksLanguageModel(
  module: OperationModule,
  input: Record<string, unknown>,
): Promise<boolean> {
  const { requirements } = await module.requirements()
  return requirements(input).some(({ kind }) => kind === 'language-model')
}

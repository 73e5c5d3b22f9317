import { MediaError } from '../../contract/errors.ts'
import type { RunContext } from '../../contract/operation.ts'
import { cacheAnswers } from '../language-model/answer-cache.ts'
import { isQuestionFailure, type LanguageModel } from '../language-model/language-model.ts'
import { openLanguageModel } from '../language-model/open.ts'
import { configuredService } from '../services/configured.ts'

/** The model that selects clips, if there is one. */
export interface ClipModel extends AsyncDisposable {
  readonly model: LanguageModel | undefined
  /** Why its service could not be used; undefined if it responded. */
  failure(): string | undefined
}

/**
 * Opens the agent of the task or the configured model, whose answers are stored for later attempts. A service that fails
 * is not asked again: a task without its answers is finished in another way. Only an abort is thrown.
 */
export async function openClipModel(
  context: Pick<RunContext, 'signal' | 'steps' | 'askTask'>,
): Promise<ClipModel> {
  const none = (reason?: string): ClipModel => ({
    ...{ model: undefined, failure: () => reason },
    [Symbol.asyncDispose]: async () => undefined,
  })
  if (!context.askTask && !configuredService('language_model')) return none()
  try {
    const opened = cacheAnswers(await openLanguageModel(context), context.steps)
    let failed: MediaError | undefined
    const model: LanguageModel = {
      ...opened,
      async ask(question) {
        if (failed) throw failed
        try {
          return await opened.ask(question)
        } catch (error) {
          if (isServiceFailure(error) && !context.signal.aborted) failed = error
          throw error
        }
      },
    }
    return {
      ...{ model, failure: () => failed?.message },
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    return none(error.message)
  }
}

function isServiceFailure(error: unknown): error is MediaError {
  return error instanceof MediaError && !isQuestionFailure(error)
}

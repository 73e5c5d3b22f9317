import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { plan } from '../../tools/subtitle-translate/plan.ts'
import { run } from '../../tools/subtitle-translate/run.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { fileIdOf, runInWorker, stageFiles } from '../tasks/run-in-worker.ts'
import type { TranslationService } from './translation-service.ts'
import { translatingModel } from './translator.ts'

/**
 * Starts a fake translator for the tests of a file, which run the operation in this process as a worker does: for tests of
 * the result, which is the same as that of a service. The cost is that of the plan, if the translation does not fail.
 */
export function startTranslationRuns(): Pick<TranslationService, 'model' | 'translate'> {
  let [model, folder]: [ModelServer?, string?] = []
  beforeAll(async () => {
    folder = await scratchFolder()
    model = await startModelServer(translatingModel())
    const address = `${model.origin}/v1`
    configureServices({ language_model: { address, model: 'small', context_tokens: 8192 } })
  })
  afterAll(async () => {
    configureServices({})
    await model?.[Symbol.asyncDispose]()
  })
  return {
    get model() {
      if (!model) throw new Error('the translator has not been started')
      return model
    },
    async translate(name, content, request = {}) {
      const own = await mkdtemp(join(folder ?? '', 'run-'))
      const path = join(own, name)
      await writeFile(path, content)
      const body = { file_id: fileIdOf(path), language: 'en-US', translate_language: 'zh-CN', ...request }
      const files = await stageFiles([path])
      const operation = { operation: subtitleTranslate, plan, run }
      try {
        const finished = await runInWorker(operation, body, { files, folder: own })
        const bytes = await readFile(finished.path)
        const { output, name: resultName, plan: planned } = finished
        const file = { bytes, text: bytes.toString(), name: resultName }
        return { status: 'completed', output, ...file, cost: planned.credits }
      } catch (error) {
        if (!(error instanceof MediaError)) throw error
        const { code, message, retryable } = error
        const nothing = { bytes: Buffer.of(), text: '', name: '', cost: 0 }
        return { status: 'failed', output: { error: { code, message, retryable } }, ...nothing }
      }
    },
  }
}

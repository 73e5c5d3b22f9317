import { afterAll, beforeAll } from 'vitest'
import { operations } from '../../tools/index.ts'
import { startModelServer, type ModelServer } from '../engines/language-model/model-server.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { translatingModel } from './translator.ts'

/** A finished task of subtitle_translate. */
export interface FinishedTask {
  readonly status: string
  readonly output: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
  readonly text: string
  readonly name: string
  /** Credits charged. */
  readonly cost: number
}

export interface TranslationService {
  readonly model: ModelServer
  readonly calls: Api
  readonly service: TestService
  upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string>
  translate(
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    request?: Readonly<Record<string, unknown>>,
  ): Promise<FinishedTask>
}

const type = 'subtitle_translate'

/** Starts a service with a fake translator for the tests of a file. */
export function startTranslationService(context: Readonly<Record<string, number>> = {}): TranslationService {
  let [model, service, calls]: [ModelServer?, TestService?, Api?] = []
  const requireStarted = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the service has not been started')
    return value
  }
  beforeAll(async () => {
    model = await startModelServer(translatingModel())
    const address = `${model.origin}/v1`
    const services = { language_model: { address, model: 'small', context_tokens: 8192, ...context } }
    service = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
      services,
    })
    calls = api(await service.account(10_000))
  })
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })
  const upload: TranslationService['upload'] = async (name, content) =>
    (await requireStarted(calls).upload(name, content)).data.file_id
  return {
    get model() {
      return requireStarted(model)
    },
    get calls() {
      return requireStarted(calls)
    },
    get service() {
      return requireStarted(service)
    },
    upload,
    async translate(name, content, request = {}) {
      const file_id = await upload(name, content)
      const before = await requireStarted(calls).balance()
      const body = { file_id, language: 'en-US', translate_language: 'zh-CN', ...request }
      const creation = await requireStarted(calls).create(type, body)
      if (creation.status !== 200) throw new Error(`${creation.code} ${creation.msg}`)
      const { data } = await requireStarted(calls).ended(type, creation.data.task_id)
      const output = data.output_result ?? {}
      const id = output['subtitle_file_id']
      const bytes = Buffer.from(
        typeof id === 'string' ? await requireStarted(calls).download(id) : new Uint8Array(),
      )
      const record =
        typeof id === 'string'
          ? await requireStarted(calls).send<{ original_name: string }>(`/base/file/${id}`)
          : undefined
      const cost = before - (await requireStarted(calls).balance())
      return {
        status: data.status,
        output,
        bytes,
        text: bytes.toString(),
        name: record?.data.original_name ?? '',
        cost,
      }
    },
  }
}

/** Returns an SRT file of lines that last 2 s and start every 3 s. */
export function srtOf(lines: readonly string[]): string {
  const time = (seconds: number) => {
    const two = (value: number) => String(value).padStart(2, '0')
    return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)},000`
  }
  return lines.map((line, at) => `${at + 1}\n${time(3 * at)} --> ${time(3 * at + 2)}\n${line}\n`).join('\n')
}

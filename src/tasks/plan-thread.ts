import { type OperationModule, requestFiles, type Plan, type RequestFile } from '../contract/operation.ts'
import { programUrl } from '../platform/runtime.ts'
import { type AskStarter, serveThread } from '../threads/serve-thread.ts'

// A thread that plans one request of an operation whose plan reads texts. It asks for each text by its file id.

/** The request, and the URL of the operation's plan module without its extension. */
export interface PlanJob {
  readonly module: string
  readonly input: Record<string, unknown>
  readonly files: readonly RequestFile[]
}

serveThread(async ({ module, input, files }: PlanJob, ask: AskStarter<string>): Promise<Plan> => {
  const { plan } = (await import(programUrl(new URL(module)).href)) as Awaited<
    ReturnType<OperationModule['plan']>
  >
  const byId = requestFiles(new Map(files.map((file) => [file.file_id, file])))
  return await plan(input, byId, async (id) => (await ask(id)) ?? new Uint8Array())
})

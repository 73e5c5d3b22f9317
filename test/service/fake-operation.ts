import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { MediaError } from '../../src/contract/errors.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation, type OperationModule, type RunContext } from '../../src/contract/operation.ts'

const behaviours = [
  'copy',
  'refuse',
  'break',
  'crash',
  'wait',
  'hang',
  'work',
  'outlive',
  'ask',
  'ask twice',
] as const

/** Expected duration of a task, s; `work` takes it without progress, and `hang` does not end. */
const plannedSeconds = 2

/** A quick test operation that copies a file, or fails or blocks as its behaviour requests. */
const fakeOperation = operation({
  name: 'test_copy',
  title: 'Test copy',
  description: 'Copies a file.',
  toolset: 'files',
  input: z.object({
    file_id: fileRef({ kinds: ['text', 'video'], describe: 'File to copy' }),
    behaviour: z.enum(behaviours).default('copy'),
  }),
  output: z.object({ file_id: id, download_url: z.string() }),
  price: { unit: 'item', credits: 1, of: 'file' },
  createdExtra: ['estimates'],
  examples: [
    { title: 'One', input: { file_id: 'a.txt' } },
    { title: 'Two', input: { file_id: 'b.txt' } },
  ],
})

type Input = z.output<typeof fakeOperation.input>

async function run(input: Input, context: RunContext) {
  const file = context.files.get(input.file_id)
  if (!['work', 'hang'].includes(input.behaviour)) context.progress(10)
  switch (input.behaviour) {
    case 'refuse':
      throw new MediaError(6017, 'this file is always rejected')
    case 'break':
      throw new Error('a bug with a secret inside')
    case 'crash':
      process.kill(process.pid, 'SIGKILL')
      break
    case 'outlive':
      // A program that survives its killed worker unless its process group is ended.
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', context.scratch], { stdio: 'ignore' })
      return await untilAborted(context.signal)
    case 'wait':
    case 'hang':
      return await untilAborted(context.signal)
    case 'ask':
    case 'ask twice':
      await ask(input, context)
      break
    case 'work':
      await delay(plannedSeconds * 1000, undefined, { signal: context.signal })
      break
    case 'copy':
      break
  }
  await copyFile(file.path, 'copy')
  return { ...context.keep({ path: 'copy', name: `copy of ${file.name}` }) }
}

/** A PNG of one black pixel. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

/** Asks a language model, with an image; twice if the second question depends on the first answer. */
async function ask({ behaviour }: Input, context: RunContext): Promise<void> {
  // Imported only by workers that ask, because workers start often.
  const { openLanguageModel } = await import('../../src/engines/language-model/open.ts')
  const { summarizeLinesKind } = await import('../../src/engines/translation/brief.ts')
  await using model = await openLanguageModel(context)
  const { signal } = context
  const images = [{ type: 'image/png', bytes: onePixel }] as const
  const question = { kind: summarizeLinesKind, instructions: 'Sum up.', maxTokens: 100, signal }
  const { summary } = await model.ask({ ...question, input: { lines: ['One', 'Two'] }, images })
  context.progress(50)
  if (behaviour === 'ask twice') await model.ask({ ...question, input: { lines: [summary] } })
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw new Error('aborted')
}

export const fakeModule: OperationModule<typeof fakeOperation> = {
  operation: fakeOperation,
  requirements: async () => ({
    requirements: (input) => (input?.behaviour.startsWith('ask') ? [{ kind: 'language-model' }] : []),
  }),
  plan: async () => ({ plan: () => ({ credits: 1, seconds: plannedSeconds }) }),
  run: async () => ({ run }),
}

/** The same operation with the message envelope, `{code: 0, message, data}`. */
export const messageEnvelopeModule: OperationModule<typeof fakeOperation> = {
  ...fakeModule,
  operation: { ...fakeOperation, name: 'test_message', title: 'Test message', envelope: 'message' },
}

/** The same operation, synchronous, with one code for all invalid requests. */
export const synchronousModule: OperationModule<typeof fakeOperation> = {
  ...fakeModule,
  operation: {
    ...fakeOperation,
    name: 'test_answer',
    title: 'Test answer',
    synchronous: true,
    errorAliases: { 6013: 6016, 6014: 6016, 6017: 6016 },
  },
}

/** The same operation without cost. */
export const freeModule: OperationModule<typeof fakeOperation> = {
  ...fakeModule,
  operation: { ...fakeOperation, name: 'test_free', title: 'Test free' },
  plan: async () => ({ plan: () => ({ credits: 0, seconds: plannedSeconds }) }),
}

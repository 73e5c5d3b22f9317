import { writeFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { id } from '../../src/contract/fields.ts'
import { operation, type OperationModule } from '../../src/contract/operation.ts'
import { openClient } from '../../src/engines/services/client.ts'
import { runWorker } from '../../src/tasks/worker.ts'

// A worker that sends a number of requests to a service, one after another. It can fail while two more wait, or by
// writing to a given path.

const rateLimited = operation({
  name: 'x',
  title: 'Send requests',
  description: 'Sends requests to a service.',
  toolset: 'files',
  input: z.object({
    address: z.string(),
    requests: z.int(),
    fails: z.boolean().default(false),
    resultPath: z.string().optional(),
  }),
  output: z.object({ file_id: id }),
  price: { unit: 'item', credits: 1, of: 'request' },
  createdExtra: [],
  examples: [
    { title: 'One', input: { address: 'http://127.0.0.1:1/v1', requests: 1 } },
    { title: 'Two', input: { address: 'http://127.0.0.1:1/v1', requests: 2 } },
  ],
})

const module: OperationModule<typeof rateLimited> = {
  operation: rateLimited,
  requirements: async () => ({ requirements: () => [] }),
  plan: async () => ({ plan: () => ({ credits: 1, seconds: 1 }) }),
  run: async () => ({
    async run({ address, requests, fails, resultPath }, { signal, taskId }) {
      const service = { address, requests_per_minute: 3 }
      await using client = openClient(
        { kind: 'language_model', service },
        { firstByteMs: 60_000, wholeMs: 60_000, maxBytes: 1000 },
      )
      const send = async () => await client.send({ path: '/models', signal })
      for (let sent = 0; sent < requests; sent += 1) await send()
      if (resultPath !== undefined) await writeFile(resultPath, 'a result')
      if (fails) {
        for (const _ of [1, 2]) void send().catch(() => undefined)
        await nextTurn()
        throw new Error('failed while requests waited')
      }
      return { file_id: taskId }
    },
  }),
}

runWorker([module])

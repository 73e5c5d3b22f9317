import { once } from 'node:events'
import { MediaError } from '../../src/contract/errors.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import { startThread } from '../../src/platform/runtime.ts'
import type { SubtitleCheck } from './check-file.ts'
import type { CheckReply } from './check-thread.ts'

/** Checks of large files at the same time. */
const limitChecks = limitConcurrency(2)

/** Like `countTranslatable`, in a thread. At most two run at once; further calls wait. */
export async function countInThread(check: SubtitleCheck): Promise<number> {
  return await limitChecks(async () => {
    const thread = startThread(new URL('./check-thread', import.meta.url), check)
    try {
      const [reply] = (await once(thread, 'message')) as [CheckReply]
      if ('characters' in reply) return reply.characters
      if ('bug' in reply) throw reply.bug
      const { code, message, hint } = reply.rejection
      throw new MediaError(code, message, { hint })
    } finally {
      await thread.terminate()
    }
  })
}

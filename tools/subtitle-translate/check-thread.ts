import { parentPort, workerData } from 'node:worker_threads'
import { MediaError, type ErrorCode } from '../../src/contract/errors.ts'
import { countTranslatable, type SubtitleCheck } from './check-file.ts'

/** What the thread found: the number of characters to translate, the reason to reject the file, or a bug. */
export type CheckReply =
  | { readonly characters: number }
  | { readonly rejection: { readonly code: ErrorCode; readonly message: string; readonly hint: string } }
  | { readonly bug: unknown }

function check(job: SubtitleCheck): CheckReply {
  try {
    return { characters: countTranslatable(job) }
  } catch (error) {
    if (!(error instanceof MediaError)) return { bug: error }
    const { code, message, hint } = error
    return { rejection: { code, message, hint } }
  }
}

// A thread that checks one large subtitle file.
parentPort?.postMessage(check(workerData as SubtitleCheck), [])

import { parentPort } from 'node:worker_threads'
import { parseJsonBytes } from '../contract/bounded-json.ts'
import { toErrorReply } from './error-reply.ts'
import type { ParseJob, ParseReply } from './large-json.ts'
import { splitValue, type TransferStep } from './transfer.ts'

// A thread that parses one text. It sends a step of the value for each message that it receives, so that the other
// thread can do other work in between.

let steps: Iterator<TransferStep> | undefined

function nextReply(job: ParseJob | null): ParseReply {
  try {
    if (job) steps = splitValue(parseJsonBytes(job.bytes, job.name, job.limits))
    const next = steps?.next()
    return next === undefined || next.done ? { kind: 'end' } : { kind: 'step', step: next.value }
  } catch (error) {
    return toErrorReply(error)
  }
}

parentPort?.on('message', (job: ParseJob | null) => parentPort?.postMessage(nextReply(job), []))

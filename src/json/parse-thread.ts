import { parseJsonBytes } from '../contract/bounded-json.ts'
import { type AskStarter, serveThread } from '../threads/serve-thread.ts'
import type { ParseJob } from './large-json.ts'
import { splitValue, type TransferStep } from './transfer.ts'

// A thread that parses one text. It sends the value in steps, and waits after each, so that the other thread can do
// other work in between.

serveThread(async ({ bytes, name, maxElements }: ParseJob, ask: AskStarter<TransferStep>) => {
  for (const step of splitValue(parseJsonBytes(bytes, name, { maxElements }))) await ask(step)
  return null
})

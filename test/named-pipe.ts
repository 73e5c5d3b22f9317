import { constants } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'

const marker = 'the canary sings'

/** Runs a function next to a named pipe, and returns whether anything read the pipe. */
export async function wasPipeRead(canary: string, work: () => Promise<unknown>): Promise<boolean> {
  const writing = writeFile(canary, marker).catch(() => {})
  await work()
  // A non-blocking open for reading releases a writer that still waits.
  await using reader = await open(canary, constants.O_RDONLY | constants.O_NONBLOCK)
  await writing
  return (await reader.readFile('utf8')) !== marker
}
